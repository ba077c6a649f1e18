import { defineError } from '../../kernel/domain-error.js';

/** One code for spent, revoked, expired and unknown: a stranger with a link learns nothing of what it once was. */
export const InviteInvalid = defineError(
  'unauthenticated',
  'invite_invalid',
  'The invite is unknown, spent, revoked or too old; ask for a new one.',
);
export const MailboxUnproved = defineError(
  'unprocessable',
  'mailbox_unproved',
  'This link proves no mailbox, and the user has no password yet: follow the link that is mailed to the user.',
);
export const InviteNotPending = defineError(
  'conflict',
  'invite_not_pending',
  'The invite has been accepted or revoked.',
);
