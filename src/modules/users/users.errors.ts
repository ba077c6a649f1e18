import { defineError } from '../../kernel/domain-error.js';

export const EmailTaken = defineError(
  'conflict',
  'email_taken',
  'A user with this e-mail exists, and the password is not theirs. Use the password of that user or another e-mail.',
);
