/** Number of seeds of each race. */
export const RACE_SEEDS = Number(process.env.RACE_SEEDS ?? 10);

/** Starts all attempts at once and waits for every one. */
export function race<T>(times: number, attempt: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_nothing, index) => attempt(index)));
}

/** Counts how often each value occurs. */
export function countsOf(values: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
