/**
 * Loaded into the service with `node --expose-gc --import`. Answers any message with heap and external memory after
 * garbage collection, in MiB. Resident memory is higher, because V8 collects an idle heap late.
 */
process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(Math.round((heapUsed + external) / 2 ** 20));
});
process.channel?.unref();
