import { ApiError } from './api-error.js';
import type { ClosedEvent } from './link.js';
import type { LiveSocket } from './live-socket.js';

/**
 * The socket once it is in.
 * @throws ApiError when it is refused, or when the service cannot be reached within `patienceMs`; it is closed then
 */
export async function connected<F extends object>(socket: LiveSocket<F>, patienceMs: number): Promise<LiveSocket<F>> {
  let last: ClosedEvent | undefined;
  const off = socket.on('closed', event => {
    if (event.willReconnect) last = event;
  });
  const timer = setTimeout(() => socket.close(), patienceMs);
  try {
    await socket.open();
    return socket;
  } catch (error) {
    if (last === undefined || !(error instanceof ApiError) || error.code !== 'socket_closed') throw error;
    throw last.error ?? new ApiError({ status: 0, code: 'network_error', message: unreached(last), cause: error });
  } finally {
    clearTimeout(timer);
    off();
  }
}

function unreached({ code, reason }: ClosedEvent): string {
  return `The socket could not be opened: ${[code, reason].join(' ').trim()}.`;
}
