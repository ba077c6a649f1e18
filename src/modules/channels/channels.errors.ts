import { defineError } from '../../kernel/domain-error.js';

export const OriginNotAllowed = defineError('forbidden', 'origin_not_allowed', 'The channel does not serve this page.');
