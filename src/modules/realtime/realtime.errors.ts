import { defineError } from '../../kernel/domain-error.js';

export const NotAssigned = defineError(
  'forbidden',
  'not_assigned',
  'The conversation is not assigned to you. Agents can send `typing` only in conversations assigned to them.',
);
