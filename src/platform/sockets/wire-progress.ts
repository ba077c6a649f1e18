import type { Duplex } from 'node:stream';

/** The write counters of libuv's handle. Undocumented, but the same in all supported Node versions. */
interface WithHandle {
  _handle?: { bytesWritten?: number; writeQueueSize?: number } | null;
}

/**
 * Counts the bytes that the operating system has taken from a connection. Node's own counters change only after a whole
 * write, and a slow but steady reader may take minutes for one of several megabytes.
 * @returns a number that grows while the client reads and stays the same while it does not
 */
export function countBytesTaken(wire: Duplex): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = (wire as WithHandle)._handle ?? {};
  return bytesWritten - writeQueueSize;
}
