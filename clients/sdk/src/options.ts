import type { HttpOptions } from './http.js';
import type { WebSocketConstructor } from './web-socket-like.js';

/** Address of the service and network options. */
export interface ClientOptions extends HttpOptions {
  /** `https://chat.example`, with or without `/v1`. */
  baseUrl: string;
  /** URL of the sockets, if they have another host. */
  wsBaseUrl?: string | undefined;
  WebSocket?: WebSocketConstructor | undefined;
}
