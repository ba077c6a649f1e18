import type { InviteRecord } from './invite.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'invite.created': InviteRecord;
    /** A new link has taken the place of the old one. */
    'invite.renewed': InviteRecord;
    'invite.revoked': InviteRecord;
    'invite.accepted': InviteRecord;
  }
}
