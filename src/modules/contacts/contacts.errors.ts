import { defineError } from '../../kernel/domain-error.js';

export const ContactBlocked = defineError('forbidden', 'contact_blocked', 'The contact is blocked.');
export const ExternalIdTaken = defineError('conflict', 'external_id_taken', 'Another contact has this external_id.');
