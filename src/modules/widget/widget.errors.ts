import { defineError } from '../../kernel/domain-error.js';

export const WidgetTokenInvalid = defineError(
  'unauthenticated',
  'widget_token_invalid',
  'The widget token opens nothing.',
);
export const IdentityRequired = defineError(
  'unauthenticated',
  'identity_required',
  'The channel asks for proof of identity.',
);
export const IdentityInvalid = defineError(
  'unauthenticated',
  'identity_invalid',
  'The proof of identity is not valid.',
);
