import type { HttpOptions } from './http.js';
import type { WebSocketConstructor } from './web-socket.js';

/** Where the service is, and by what to reach it. */
export interface ClientOptions extends HttpOptions {
  /** `https://chat.example`, with or without `/v1`. */
  baseUrl: string;
  /** Only where the sockets live elsewhere. */
  wsBaseUrl?: string | undefined;
  WebSocket?: WebSocketConstructor | undefined;
}
