/**
 * Asks again until the answer is there; what happens off a request's path has no answer to wait for.
 * @param explain what stands in its way, told when the time is over
 */
export async function eventually<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  ms = 5_000,
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
