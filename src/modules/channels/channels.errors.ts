import { defineError } from '../../kernel/domain-error.js';

export const OriginNotAllowed = defineError(
  'forbidden',
  'origin_not_allowed',
  "The page's origin is not in the channel's `allowed_origins`.",
);

export const FeatureDisabled = defineError(
  'forbidden',
  'feature_disabled',
  "The channel's widget does not offer this (`widget_config.features`).",
);
