/** Asks again until the answer is there; what happens off a request's path has no answer to wait for. */
export async function eventually<T>(probe: () => T | undefined | Promise<T | undefined>, ms = 5_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`nothing within ${ms} ms`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
