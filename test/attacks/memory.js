/**
 * Loaded into the service from outside (`node --expose-gc --import`): answers any message with what the process holds
 * after garbage collection, in MiB. Its resident memory is more, for V8 collects an idle heap late.
 */
process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(Math.round((heapUsed + external) / 2 ** 20));
});
process.channel?.unref();
