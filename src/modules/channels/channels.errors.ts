import { defineError } from '../../kernel/domain-error.js';

export const OriginNotAllowed = defineError(
  'forbidden',
  'origin_not_allowed',
  "The page's origin is not in the channel's `allowed_origins`.",
);
