import { defineError } from '../../kernel/domain-error.js';

export const ShortCodeTaken = defineError(
  'conflict',
  'short_code_taken',
  'Another canned response of this workspace has this short code.',
);
