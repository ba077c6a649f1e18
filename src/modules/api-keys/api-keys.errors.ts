import { defineError } from '../../kernel/domain-error.js';

export const ExpiryInPast = defineError(
  'invalid',
  'expires_at_in_past',
  '`expires_at` is in the past. Choose a time in the future.',
);
