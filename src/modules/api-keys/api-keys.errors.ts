import { defineError } from '../../kernel/domain-error.js';

export const ExpiryInPast = defineError('invalid', 'expires_at_in_past', 'A key cannot end before it begins.');
