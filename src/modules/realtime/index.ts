export { eventFramesOf, framesFor } from './frame-catalogue.js';
export type { DocumentedFrame } from './frame-catalogue.js';
export { CLIENT_FRAMES, EPHEMERAL_FRAMES, NO_DATA } from './frames.js';
export type { FrameDefinition } from './frames.js';
export { RealtimeModule } from './realtime.module.js';
export { SOCKET_ROUTES } from './socket-routes.js';
export type { SocketRoute } from './socket-routes.js';
