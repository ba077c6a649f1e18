import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, NOT_SENT } from '../../kernel/event-definition.js';
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

const invite = { ...NOT_SENT, audit: auditedAs('invite'), personal: 'none' } as const;

export const INVITE_EVENTS: EventDefinitions<
  'invite.created' | 'invite.renewed' | 'invite.revoked' | 'invite.accepted'
> = {
  'invite.created': { summary: 'An invite was created.', ...invite },
  'invite.renewed': { summary: 'An invite was renewed. The old link is invalid.', ...invite },
  'invite.revoked': {
    summary: 'An invite was revoked, manually or because the invited member was deactivated.',
    ...invite,
  },
  'invite.accepted': { summary: 'An invite was accepted.', ...invite },
};
