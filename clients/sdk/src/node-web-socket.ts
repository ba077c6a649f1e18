import { ApiError } from './api-error.js';
import { openEnvelope } from './envelope.js';
import type { WebSocketConstructor, WebSocketLike } from './web-socket-like.js';

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

/** @returns the WebSocket of the package `ws`, if it is installed */
export function importNodeWebSocket(): Promise<WebSocketConstructor | undefined> {
  // Not a literal, so that bundlers do not add a Node package to a page.
  const name = 'ws';
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name).then(
    (loaded: { WebSocket: WebSocketConstructor }) => loaded.WebSocket,
    () => undefined,
  );
}

/**
 * Returns true if a refused handshake shows its HTTP response. Browsers hide it; they use `?reject=close` and read the
 * close code instead.
 */
export function showsRefusals(constructor: WebSocketConstructor): boolean {
  return typeof (constructor.prototype as Partial<NodeWebSocket>).on === 'function';
}

/** Calls `refused` if the service answers the handshake of a `ws` over HTTP. */
export function watchRefusal(socket: WebSocketLike, refused: (refusal: ApiError) => void): void {
  if (!isNodeWebSocket(socket)) return;
  socket.on('unexpected-response', (request, response) => {
    void readRefusal(response).then(refusal => {
      request.destroy();
      refused(refusal);
    });
  });
}

/** Ends a socket that no longer responds. */
export function terminate(socket: WebSocketLike): void {
  if (isNodeWebSocket(socket)) socket.terminate();
  else socket.close();
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
