import { ApiError } from './api-error.js';
import { openEnvelope } from './envelope.js';
import { reasonOf } from './network-reason.js';
import { inBrowser } from './surroundings.js';

/** What this SDK uses of a WebSocket: the browser's, `ws`, or one that a test made. */
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

/** The parts of `ws` that no browser has. */
interface NodeWebSocket extends WebSocketLike {
  on(event: 'unexpected-response', listener: (request: Destroyable, response: IncomingAnswer) => void): void;
  terminate(): void;
}
interface Destroyable {
  destroy(): void;
}
interface IncomingAnswer extends AsyncIterable<Uint8Array> {
  statusCode?: number;
  headers: Record<string, string | string[] | undefined>;
}

export interface ConnectionEvents {
  frame(text: string): void;
  /** Exactly once. `refusal` where the handshake was answered over HTTP instead. */
  ended(code: number, reason: string, refusal?: ApiError): void;
}

/** An open or opening socket. */
export interface Connection {
  /** @returns false when it is not open */
  send(text: string): boolean;
  /** Says goodbye. */
  close(code: number): void;
  /** Lets go of a socket that no longer answers. */
  drop(): void;
}

const OPEN = 1;
const ABNORMAL = 1006;

/**
 * A page's own WebSocket. Elsewhere the package `ws`, where it is installed: it shows why a handshake was refused, which
 * the WebSocket of Node 22 and later does not; Node 20 has no other.
 */
export async function findWebSocket(): Promise<WebSocketConstructor> {
  const own = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  if (own && inBrowser()) return own;
  // Not a literal, so that no bundler puts a package for Node into a page.
  const name = 'ws';
  const found = await import(/* @vite-ignore */ /* webpackIgnore: true */ name).then(
    (loaded: { WebSocket: WebSocketConstructor }) => loaded.WebSocket,
    () => own,
  );
  if (!found) throw new Error('no WebSocket here: install the package ws, or pass one');
  return found;
}

/**
 * Whether a refused handshake shows its HTTP answer. Browsers hide it; they ask for `?reject=close` and read the close
 * code instead.
 */
export function showsRefusals(constructor: WebSocketConstructor): boolean {
  return typeof (constructor.prototype as Partial<NodeWebSocket>).on === 'function';
}

/** Opens a socket; everything that can become of it arrives through `events`. */
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
  // `onclose` follows and says only 1006; without a listener `ws` would throw the error at the process.
  socket.onerror = (event: unknown) => {
    const { error } = (event ?? {}) as { error?: unknown };
    if (error !== undefined) failure = reasonOf(error);
  };
  if (isNode(socket)) {
    socket.on('unexpected-response', (request, response) => {
      void refusalOf(response).then(refusal => {
        request.destroy();
        end(ABNORMAL, refusal.message, refusal);
      });
    });
  }
  const letGo = (): void => {
    ended = true;
    if (isNode(socket)) socket.terminate();
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
    drop: letGo,
  };
}

function isNode(socket: WebSocketLike): socket is NodeWebSocket {
  return typeof (socket as Partial<NodeWebSocket>).on === 'function';
}

async function refusalOf(response: IncomingAnswer): Promise<ApiError> {
  const status = response.statusCode ?? 0;
  const header = (name: string): string | undefined => [response.headers[name]].flat()[0];
  try {
    openEnvelope(await textOf(response), { status, header });
  } catch (error) {
    if (error instanceof ApiError) return error;
    return new ApiError({ status: 0, code: 'network_error', message: 'The handshake broke off.', cause: error });
  }
  return new ApiError({ status, code: 'invalid_response', message: 'The handshake was answered like a request.' });
}

async function textOf(response: IncomingAnswer): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response) text += decoder.decode(chunk, { stream: true });
  return text;
}
