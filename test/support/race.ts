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

/** Polls until there is something to find; for what comes without a frame to wait for. */
export async function eventually<T>(find: () => Promise<T | undefined>, what: string, ms = 5_000): Promise<T> {
  for (const end = Date.now() + ms; ;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`no ${what} within ${ms} ms`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
