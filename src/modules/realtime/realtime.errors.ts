import { defineError } from '../../kernel/domain-error.js';

export const NotAssigned = defineError('forbidden', 'not_assigned', 'Agents type in conversations assigned to them.');
