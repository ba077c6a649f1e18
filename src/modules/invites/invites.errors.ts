import { defineError } from '../../kernel/domain-error.js';

/** One code for spent, revoked, expired and unknown: a stranger with a link learns nothing of what it once was. */
export const InviteInvalid = defineError(
  'unauthenticated',
  'invite_invalid',
  'The invite is unknown, spent, revoked or too old; ask for a new one.',
);
export const InviteNotPending = defineError(
  'conflict',
  'invite_not_pending',
  'The invite has been accepted or revoked.',
);
