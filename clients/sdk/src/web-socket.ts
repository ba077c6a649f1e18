import type { ApiError } from './api-error.js';
import { describeNetworkError } from './network-error.js';
import { isBrowser } from './environment.js';
import { importNodeWebSocket, terminate, watchRefusal } from './node-web-socket.js';
import type { WebSocketConstructor } from './web-socket-like.js';

export interface ConnectionEvents {
  frame(text: string): void;
  /** Called exactly once. `refusal` is set if the service answered the handshake over HTTP. */
  ended(code: number, reason: string, refusal?: ApiError): void;
}

/** An open or opening socket. */
export interface Connection {
  /** @returns false when it is not open */
  send(text: string): boolean;
  /** Closes with a close frame. */
  close(code: number): void;
  /** Terminates a socket that no longer responds. */
  drop(): void;
}

const OPEN = 1;
const ABNORMAL = 1006;

/**
 * Returns the browser's WebSocket in a page, else the package `ws` if it is installed. `ws` shows why a handshake was
 * refused, unlike the WebSocket of Node 22 and later; Node 20 has none.
 * @throws Error when there is no WebSocket
 */
export async function findWebSocket(): Promise<WebSocketConstructor> {
  const native = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  const found = native && isBrowser() ? native : ((await importNodeWebSocket()) ?? native);
  if (!found) throw new Error('This runtime has no WebSocket: install the package ws, or pass the option WebSocket.');
  return found;
}

/** Opens a socket and reports everything through `events`. */
export function connect(constructor: WebSocketConstructor, url: string, events: ConnectionEvents): Connection {
  const socket = new constructor(url);
  let ended = false;
  const end = (code: number, reason: string, refusal?: ApiError): void => {
    if (ended) return;
    ended = true;
    events.ended(code, reason, refusal);
  };
  socket.onmessage = ({ data }: { data: unknown }) => {
    if (!ended && typeof data === 'string') events.frame(data);
  };
  let failure = '';
  socket.onclose = ({ code, reason }: { code: number; reason: string }) => end(code, reason || failure);
  // `onclose` follows with 1006 only. Without a listener, `ws` would throw an uncaught error.
  socket.onerror = (event: unknown) => {
    const { error } = (event ?? {}) as { error?: unknown };
    if (error !== undefined) failure = describeNetworkError(error);
  };
  watchRefusal(socket, refusal => end(ABNORMAL, refusal.message, refusal));
  const drop = (): void => {
    ended = true;
    terminate(socket);
  };
  return {
    send(text) {
      if (ended || socket.readyState !== OPEN) return false;
      socket.send(text);
      return true;
    },
    close(code) {
      ended = true;
      socket.close(code);
    },
    drop,
  };
}
