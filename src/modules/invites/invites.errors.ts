import { defineError } from '../../kernel/domain-error.js';

/**
 * One code for used, revoked, expired and unknown links, so that a stranger with a link learns nothing about the
 * invite.
 */
export const InviteInvalid = defineError(
  'unauthenticated',
  'invite_invalid',
  'The invite is unknown, used, revoked or expired. Ask for a new one.',
);
export const MailboxUnproved = defineError(
  'unprocessable',
  'mailbox_unproved',
  'This link does not prove access to the mailbox, and the user has no password yet. Use the link that was mailed.',
);
export const InviteNotPending = defineError(
  'conflict',
  'invite_not_pending',
  'The invite was accepted or revoked. Create a new one.',
);
