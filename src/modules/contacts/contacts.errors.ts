import { defineError } from '../../kernel/domain-error.js';

export const ContactBlocked = defineError('forbidden', 'contact_blocked', 'The contact is blocked.');
export const ContactMergedAway = defineError(
  'gone',
  'contact_merged',
  'The contact was merged into another one. Use the contact in `contact_id`.',
);
export const ContactVerified = defineError(
  'unprocessable',
  'contact_verified',
  'The contact is verified: its external_id cannot change, and it cannot be merged into an unverified contact.',
);
export const EmailMissing = defineError('unprocessable', 'email_missing', 'The contact has no e-mail address.');
export const ExternalIdTaken = defineError(
  'conflict',
  'external_id_taken',
  'Another contact has this external_id. Use that contact or a different id.',
);
