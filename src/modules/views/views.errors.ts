import { defineError } from '../../kernel/domain-error.js';

export const ViewNameTaken = defineError(
  'conflict',
  'view_name_taken',
  'Another shared view, or another of your own, has this name. Choose a different one.',
);
