import { defineError } from '../../kernel/domain-error.js';

export const RatingClosed = defineError(
  'conflict',
  'rating_closed',
  'The conversation cannot be rated: the channel asks for no ratings, nobody has answered, or it was not resolved in the last 7 days.',
);
