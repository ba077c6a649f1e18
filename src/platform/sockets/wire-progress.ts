import type { Duplex } from 'node:stream';

/** The part of libuv's handle that tells of writes; undocumented, but the same in all supported lines of Node. */
interface WithHandle {
  _handle?: { bytesWritten?: number; writeQueueSize?: number } | null;
}

/**
 * How many bytes the operating system has taken from a connection. Node's own counters move only when a whole write is
 * done, and one write may be megabytes, for which a slow but steady reader takes minutes.
 * @returns a number that grows while the client reads, and stands while it does not
 */
export function bytesTaken(wire: Duplex): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = (wire as WithHandle)._handle ?? {};
  return bytesWritten - writeQueueSize;
}
