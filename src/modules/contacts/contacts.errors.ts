import { defineError } from '../../kernel/domain-error.js';

export const ContactBlocked = defineError('forbidden', 'contact_blocked', 'The contact is blocked.');
export const ContactMergedAway = defineError(
  'gone',
  'contact_merged',
  'The contact has been merged into another one; `contact_id` names it.',
);
export const ContactVerified = defineError(
  'unprocessable',
  'contact_verified',
  'The identity of a verified contact is proven: its external_id never changes, and it merges into no unverified one.',
);
export const ExternalIdTaken = defineError('conflict', 'external_id_taken', 'Another contact has this external_id.');
