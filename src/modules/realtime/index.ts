export { CLIENT_FRAMES, EVENT_FRAMES, PASSING_FRAMES } from './frames.js';
export type { FrameDefinition } from './frames.js';
export { RealtimeModule } from './realtime.module.js';
