import { ApiError } from './api-error.js';
import type { ClosedEvent } from './link.js';
import type { LiveSocket } from './live-socket.js';

const NORMAL = 1000;

/**
 * The socket once it is in.
 * @throws ApiError when it is refused, or when the service cannot be reached within `patienceMs`; it is closed then
 */
export async function connected<F extends object, S extends LiveSocket<F>>(
  socket: S & LiveSocket<F>,
  patienceMs: number,
): Promise<S> {
  let last: ClosedEvent | undefined;
  const off = socket.on('closed', event => {
    if (event.willReconnect) last = event;
  });
  const timer = setTimeout(() => socket.close(), patienceMs);
  try {
    await socket.open();
    return socket;
  } catch (error) {
    // Whatever else ended it was decided by the service; a normal end is that of our own patience.
    const ours = error instanceof ApiError && error.data['close_code'] === NORMAL;
    if (last === undefined || !ours) throw error;
    throw (
      last.error ??
      new ApiError({ status: 0, code: 'network_error', message: unreached(socket.address, last), cause: error })
    );
  } finally {
    clearTimeout(timer);
    off();
  }
}

function unreached(address: string, { code, reason }: ClosedEvent): string {
  return `The socket at ${address} could not be opened: ${[code, reason].join(' ').trim()}.`;
}
