export type { InviteRecord } from './invite.js';
export { InvitesModule } from './invites.module.js';
export { INVITE_EVENTS } from './invites.events.js';
