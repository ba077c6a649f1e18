import { defineError } from '../../kernel/domain-error.js';

export const ShortCodeTaken = defineError(
  'conflict',
  'short_code_taken',
  'Another canned response in this workspace has this short code. Choose a different one.',
);
