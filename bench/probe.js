import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the measured service before its own code (`--import`): answers the benchmark's questions over the channel
 * between the two processes, so that the service itself knows nothing of being measured.
 */

const RESOLUTION_MS = 10;
const stalls = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
stalls.enable();

process.on('message', ({ ask }) => process.send(ask === 'memory' ? memory() : time()));
process.channel.unref();

/** Bytes in use once everything that nobody refers to is gone. */
function memory() {
  for (let round = 0; round < 3; round += 1) globalThis.gc();
  return process.memoryUsage();
}

/** Milliseconds since the last time: of the main loop's longest stall, and of the processor. */
function time() {
  const { user, system } = process.cpuUsage();
  const stallMs = Math.max(0, stalls.max / 1e6 - RESOLUTION_MS);
  stalls.reset();
  return { stallMs, cpuMs: (user + system) / 1000 };
}
