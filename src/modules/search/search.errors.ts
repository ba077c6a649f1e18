import { defineError } from '../../kernel/domain-error.js';

export const QueryTooBroad = defineError(
  'invalid',
  'query_too_broad',
  'The query names nothing to search for. Add a word that is not excluded to each alternative.',
);
