import { defineError } from '../../kernel/domain-error.js';

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
  'The sender is not an active member or a bot of the workspace.',
);
export const ContentRequired = defineError('invalid', 'content_required', 'A message needs `content`.');
export const ContentTypeReserved = defineError(
  'invalid',
  'content_type_reserved',
  'The content type `event` is reserved for timeline entries. Use another one.',
);
export const MetadataReserved = defineError(
  'invalid',
  'metadata_reserved',
  'The keys `event`, `auto`, `mentions`, `draft_id` and `truncated` of `metadata` are reserved. Only a private note may set `mentions`.',
);
export const MentionInvalid = defineError(
  'invalid',
  'mention_invalid',
  '`metadata.mentions` must contain ids of at most 50 active members who can see the conversation.',
);
export const ReplyUnknown = defineError(
  'invalid',
  'reply_to_unknown',
  'The message in `reply_to_id` is not in this conversation.',
);
export const ReplyToNote = defineError('invalid', 'reply_to_note', 'A public message cannot reply to a private note.');
export const BotMessageLimit = defineError(
  'unprocessable',
  'bot_message_limit',
  'The bot has sent 20 messages since the last one of a person. The conversation is handed off to people.',
);
export const NotSender = defineError('forbidden', 'not_sender', 'Only the sender can edit or delete a message.');
export const EditWindowOver = defineError(
  'unprocessable',
  'edit_window_over',
  'A message can be edited or deleted only within 15 minutes of sending.',
);
