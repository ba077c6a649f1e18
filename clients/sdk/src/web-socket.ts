import { ApiError } from './api-error.js';
import { openEnvelope } from './envelope.js';
import { describeNetworkError } from './network-error.js';
import { isBrowser } from './environment.js';

/** The parts of a WebSocket that this SDK uses: the browser's, `ws`, or a test's. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export type WebSocketConstructor = new (url: string) => WebSocketLike;

/** The parts of `ws` that browsers do not have. */
interface NodeWebSocket extends WebSocketLike {
  on(event: 'unexpected-response', listener: (request: Destroyable, response: IncomingResponse) => void): void;
  terminate(): void;
}
interface Destroyable {
  destroy(): void;
}
interface IncomingResponse extends AsyncIterable<Uint8Array> {
  statusCode?: number;
  headers: Record<string, string | string[] | undefined>;
}

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
  if (native && isBrowser()) return native;
  // Not a literal, so that bundlers do not add a Node package to a page.
  const name = 'ws';
  const found = await import(/* @vite-ignore */ /* webpackIgnore: true */ name).then(
    (loaded: { WebSocket: WebSocketConstructor }) => loaded.WebSocket,
    () => native,
  );
  if (!found) throw new Error('This runtime has no WebSocket: install the package ws, or pass the option WebSocket.');
  return found;
}

/**
 * Returns true if a refused handshake shows its HTTP response. Browsers hide it; they use `?reject=close` and read the
 * close code instead.
 */
export function showsRefusals(constructor: WebSocketConstructor): boolean {
  return typeof (constructor.prototype as Partial<NodeWebSocket>).on === 'function';
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
  if (isNodeWebSocket(socket)) {
    socket.on('unexpected-response', (request, response) => {
      void readRefusal(response).then(refusal => {
        request.destroy();
        end(ABNORMAL, refusal.message, refusal);
      });
    });
  }
  const drop = (): void => {
    ended = true;
    if (isNodeWebSocket(socket)) socket.terminate();
    else socket.close();
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

function isNodeWebSocket(socket: WebSocketLike): socket is NodeWebSocket {
  return typeof (socket as Partial<NodeWebSocket>).on === 'function';
}

async function readRefusal(response: IncomingResponse): Promise<ApiError> {
  const status = response.statusCode ?? 0;
  const header = (name: string): string | undefined => [response.headers[name]].flat()[0];
  try {
    openEnvelope(await readText(response), { status, header });
  } catch (error) {
    if (error instanceof ApiError) return error;
    return new ApiError({
      status: 0,
      code: 'network_error',
      message: 'The connection was lost during the handshake.',
      cause: error,
    });
  }
  return new ApiError({
    status,
    code: 'invalid_response',
    message: 'The server answered the handshake with a normal HTTP response.',
  });
}

async function readText(response: IncomingResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response) text += decoder.decode(chunk, { stream: true });
  return text;
}
