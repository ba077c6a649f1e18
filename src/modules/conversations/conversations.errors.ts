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
export const ConversationErased = defineError(
  'gone',
  'conversation_erased',
  'The contact was erased, and its conversation can no longer change.',
);
export const ConversationMoved = defineError(
  'conflict',
  'conversation_moved',
  'There are messages after `expected_last_seq`. Read up to `last_seq` and send again.',
);
export const SenderRequired = defineError(
  'invalid',
  'sender_required',
  'With an API key, name the sender: send `member_id` or `bot_id`.',
);
export const SenderUnknown = defineError(
  'invalid',
  'sender_unknown',
  'The sender is not an active member or an enabled bot.',
);
export const ContentRequired = defineError('invalid', 'content_required', 'A message needs `content`.');
export const ContentTypeReserved = defineError(
  'invalid',
  'content_type_reserved',
  'The content type `event` is reserved for timeline entries. Use another one.',
);
export const ReplyUnknown = defineError(
  'invalid',
  'reply_to_unknown',
  'The message in `reply_to_id` is not in this conversation.',
);
export const ReplyToNote = defineError('invalid', 'reply_to_note', 'A public message cannot reply to a private note.');
export const NotSender = defineError('forbidden', 'not_sender', 'Only the sender can edit or delete a message.');
export const EditWindowOver = defineError(
  'unprocessable',
  'edit_window_over',
  'A message can be edited or deleted only within 15 minutes of sending.',
);

/** 400 for an id in a body that the caller cannot see. An id in a path is 404 instead. */
export function unknownId(field: string): DomainError {
  return new ValidationFailed({ details: [{ field, code: 'unknown', message: `${field} is unknown` }] });
}
