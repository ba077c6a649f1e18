import { ApiError } from './api-error.js';
import type { ClosedEvent } from './persistent-connection.js';
import type { LiveSocket } from './live-socket.js';

const NORMAL = 1000;

/**
 * Opens the socket and returns it when the service has accepted it.
 * @throws ApiError when it is refused, or not connected within `timeoutMs`; the socket is closed then
 */
export async function waitUntilConnected<F extends object, S extends LiveSocket<F>>(
  socket: S & LiveSocket<F>,
  timeoutMs: number,
): Promise<S> {
  let lastClosed: ClosedEvent | undefined;
  const unsubscribe = socket.on('closed', event => {
    if (event.willReconnect) lastClosed = event;
  });
  const timer = setTimeout(() => socket.close(), timeoutMs);
  try {
    await socket.open();
    return socket;
  } catch (error) {
    // The service decided every other end; code 1000 is our own timeout above.
    const closedByTimeout = error instanceof ApiError && error.data['close_code'] === NORMAL;
    if (lastClosed === undefined || !closedByTimeout) throw error;
    throw (
      lastClosed.error ??
      new ApiError({
        status: 0,
        code: 'network_error',
        message: notOpenedMessage(socket.address, lastClosed),
        cause: error,
      })
    );
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}

function notOpenedMessage(address: string, { code, reason }: ClosedEvent): string {
  return `The socket at ${address} could not be opened: ${[code, reason].join(' ').trim()}.`;
}
