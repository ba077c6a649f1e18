import type { DomainError } from '../../kernel/domain-error.js';
import { defineError } from '../../kernel/domain-error.js';
import { ValidationFailed } from '../../kernel/errors.js';

export const InvalidTransition = defineError(
  'unprocessable',
  'invalid_transition',
  'The conversation cannot change from the status in `from` to the status in `to`.',
);
export const AssigneeUnavailable = defineError(
  'unprocessable',
  'assignee_unavailable',
  'The member is deactivated or does not see this channel. Choose another member.',
);
export const ConversationExists = defineError(
  'conflict',
  'conversation_exists',
  'The contact already has an unresolved conversation on this channel. Use the one in `conversation_id`.',
);
export const SnoozeInPast = defineError(
  'invalid',
  'snooze_in_past',
  'A snooze ends between one minute and one year from now.',
);
export const BotNotInControl = defineError(
  'forbidden',
  'bot_not_in_control',
  'The bot is not in control of this conversation. Its channel is not routed to the bot, or people have taken over.',
);
export const ConversationErased = defineError(
  'gone',
  'conversation_erased',
  'The contact was erased, and its conversation can no longer change.',
);

/** 400 for a tag beyond the maximum, as in a list of too many. */
export function tooManyTags(): DomainError {
  const details = [{ field: 'tags', code: 'too_many', message: 'A conversation has at most 20 tags' }];
  return new ValidationFailed({ details });
}

/** 400 for an id in a body that the caller cannot see. An id in a path is 404 instead. */
export function unknownId(field: string): DomainError {
  return new ValidationFailed({ details: [{ field, code: 'unknown', message: `${field} is unknown` }] });
}
