/** Client of the support chat service: one class for each of the three kinds of caller. */
export { AgentClient, type AgentLiveOptions, type AgentOptions, type OwnTokens } from './agent-client.js';
export type { AgentTokens } from './agent-tokens.js';
export type { Collection } from './api-types.js';
export { ApiError, type ClientErrorCode, type ErrorCode, type FieldFault, type ServiceErrorCode } from './api-error.js';
export type { Backoff } from './backoff.js';
export type * from './bodies.js';
export type {
  AgentFrames,
  ClientFrame,
  ErrorFrame,
  Frame,
  ServerEvent,
  ServerEventPage,
  ServerEventType,
  VisitorFrames,
} from './frames.js';
export type { Fetch, HttpOptions } from './http.js';
export type { ClosedEvent, LiveState } from './persistent-connection.js';
export { AgentSocket } from './agent-socket.js';
export { LiveSocket, type LiveOptions } from './live-socket.js';
export { closedError, LiveStream, type LiveEvents } from './live-stream.js';
export type { ClientOptions } from './options.js';
export { enterFromPage, type OpenPage } from './enter-from-page.js';
export { items, pages, type ListPage, type Page, type PageQuery } from './pages.js';
export type { Attachments } from './resources/attachments.js';
export { SharedLive, type SharedLiveOptions } from './shared-live.js';
export type { Channel, Tab, TabEvents } from './tab.js';
export { inOneTab, type Locks } from './web-locks.js';
export type { Resource } from './resources/resource.js';
export { ServerClient, type ServerOptions } from './server-client.js';
export { PageTokenStore } from './page-token-store.js';
export { MemoryTokenStore, type TokenStore } from './token-store.js';
export type * from './types.js';
export { readBrowserPage, type VisitedPage } from './visited-page.js';
export type { UploadOptions, UploadProgress } from './upload.js';
export { uuid } from './uuid.js';
export { VisitorClient, type VisitorLiveOptions, type VisitorOptions } from './visitor-client.js';
export type { KeyValueStore } from './visitor-identity.js';
export type { StoredVisitorSession, VisitorIdentity } from './visitor-session.js';
export { VisitorSocket } from './visitor-socket.js';
export type { WebSocketConstructor, WebSocketLike } from './web-socket-like.js';
