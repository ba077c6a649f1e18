import { defineError } from '../../kernel/domain-error.js';

export const WidgetTokenInvalid = defineError(
  'unauthenticated',
  'widget_token_invalid',
  'The widget token is unknown, or its channel is disabled. Check the token in the page.',
);
export const IdentityRequired = defineError(
  'unauthenticated',
  'identity_required',
  'The channel requires proof of identity. Send `external_id` with an `identity_token` signed by your server.',
);
export const IdentityInvalid = defineError(
  'unauthenticated',
  'identity_invalid',
  'The `identity_token` is invalid. Sign it with the identity secret; `sub` is the `external_id`, and `exp` at most 24 hours away.',
);
