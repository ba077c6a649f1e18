import { defineError } from '../../kernel/domain-error.js';

export const EmailTaken = defineError(
  'conflict',
  'email_taken',
  'This e-mail belongs to somebody with another password.',
);
