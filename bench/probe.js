import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the measured server before its own code (`--import`). Answers the benchmark's queries over the IPC
 * channel, so that the server itself contains no benchmark code.
 */

const RESOLUTION_MS = 10;
const stalls = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
stalls.enable();

process.on('message', ({ ask }) => process.send(ask === 'memory' ? memory() : time()));
process.channel.unref();

/** Returns the memory in use, in bytes, after garbage collection. */
function memory() {
  for (let round = 0; round < 3; round += 1) globalThis.gc();
  return process.memoryUsage();
}

/** Returns milliseconds since the last call: the longest stall of the event loop, and processor time. */
function time() {
  const { user, system } = process.cpuUsage();
  const stallMs = Math.max(0, stalls.max / 1e6 - RESOLUTION_MS);
  stalls.reset();
  return { stallMs, cpuMs: (user + system) / 1000 };
}
