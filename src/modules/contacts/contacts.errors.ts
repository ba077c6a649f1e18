import { defineError } from '../../kernel/domain-error.js';

export const ExternalIdTaken = defineError('conflict', 'external_id_taken', 'Another contact has this external_id.');
