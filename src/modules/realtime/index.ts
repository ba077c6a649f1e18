export { framesOf } from './frame-catalogue.js';
export type { CataloguedFrame } from './frame-catalogue.js';
export { CLIENT_FRAMES, EVENT_FRAMES, NO_DATA, PASSING_FRAMES } from './frames.js';
export type { FrameDefinition } from './frames.js';
export { RealtimeModule } from './realtime.module.js';
export { SOCKET_ROUTES } from './socket-routes.js';
export type { SocketRoute } from './socket-routes.js';
