import type { DomainError } from '../../kernel/domain-error.js';
import { defineError } from '../../kernel/domain-error.js';
import { ValidationFailed } from '../../kernel/errors.js';

export const InvalidTransition = defineError(
  'unprocessable',
  'invalid_transition',
  'The conversation cannot go from its present state to that one; `from` and `to` name them.',
);
export const AssigneeUnavailable = defineError(
  'unprocessable',
  'assignee_unavailable',
  'The member is deactivated or does not see this channel.',
);
export const ConversationExists = defineError(
  'conflict',
  'conversation_exists',
  'The contact has an unresolved conversation on this channel; `conversation_id` names it.',
);
export const ConversationErased = defineError(
  'gone',
  'conversation_erased',
  'The contact has been erased, and what was said with it: nothing can be added.',
);
export const ConversationMoved = defineError(
  'conflict',
  'conversation_moved',
  'There are messages behind `expected_last_seq`; `last_seq` tells how far the conversation is.',
);
export const SenderRequired = defineError(
  'invalid',
  'sender_required',
  'With an API key, name the sender: member_id or bot_id.',
);
export const SenderUnknown = defineError('invalid', 'sender_unknown', 'There is no such active member or bot.');
export const ContentRequired = defineError('invalid', 'content_required', 'A message needs content or an attachment.');
export const ContentTypeReserved = defineError(
  'invalid',
  'content_type_reserved',
  'Entries of type event are made by the service alone.',
);
export const ReplyUnknown = defineError(
  'invalid',
  'reply_to_unknown',
  'The message replied to is not in this conversation.',
);
export const ReplyToNote = defineError('invalid', 'reply_to_note', 'A public message cannot reply to a private note.');
export const NotSender = defineError('forbidden', 'not_sender', 'Only its sender changes a message.');
export const EditWindowOver = defineError(
  'unprocessable',
  'edit_window_over',
  'A message can be changed for 15 minutes.',
);

/** An id in a body that names nothing which the caller can see is a faulty field: 400, where one in a path is 404. */
export function unknownId(field: string): DomainError {
  return new ValidationFailed({ details: [{ field, code: 'unknown', message: `${field} names nothing here` }] });
}
