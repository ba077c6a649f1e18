export { isOriginAllowed } from './channel.js';
export type { Channel, ChannelRecord } from './channel.js';
export type { VisitorKind } from './channel-tokens.js';
export { tokenGenerationOf, visitorKind } from './channel-tokens.js';
export { OriginNotAllowed } from './channels.errors.js';
export { ChannelsModule } from './channels.module.js';
export { ChannelsService } from './channels.service.js';
export type { WidgetConfig } from './widget-config.js';
