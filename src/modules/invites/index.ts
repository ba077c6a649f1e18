export type { InviteRecord } from './invite.js';
export { InvitesModule } from './invites.module.js';
