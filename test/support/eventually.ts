/**
 * Polls until the probe returns a value. For effects that no response waits for.
 * @throws Error after `ms` milliseconds
 * @param explain returns details for the error message
 */
export async function eventually<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  ms = 45_000,
  explain?: () => unknown,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) {
      const why = explain ? `: ${JSON.stringify(await explain())}` : '';
      throw new Error(`no result within ${ms} ms${why}`);
    }
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
