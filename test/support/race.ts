/** Starts as many attempts at once as asked for and waits for all of them: how promises about racing are tested. */
export function race<T>(times: number, attempt: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_nothing, index) => attempt(index)));
}

/** How often each value is there. */
export function countsOf(values: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
