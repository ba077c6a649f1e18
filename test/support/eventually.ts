/** Milliseconds between two probes. */
const [MIN_PAUSE, MAX_PAUSE] = [10, 100];

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
  const start = Date.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    const elapsed = Date.now() - start;
    if (elapsed > ms) {
      const why = explain ? `: ${JSON.stringify(await explain())}` : '';
      throw new Error(`no result within ${ms} ms${why}`);
    }
    // a tenth of the wait so far: a probe is often a request, and many specs wait at the same time
    const pause = Math.min(Math.max(elapsed / 10, MIN_PAUSE), MAX_PAUSE);
    await new Promise(resolve => setTimeout(resolve, pause));
  }
}
