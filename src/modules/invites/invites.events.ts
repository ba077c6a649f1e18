import type { InviteRecord } from './invite.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'invite.created': InviteRecord;
    /** New links replaced the old ones. */
    'invite.renewed': InviteRecord;
    'invite.revoked': InviteRecord;
    'invite.accepted': InviteRecord;
  }
}
