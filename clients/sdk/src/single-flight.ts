/**
 * Callers that come while the work is under way share it; the next one after its end starts anew.
 * @returns `work` with that manner.
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => {
    pending ??= work().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
