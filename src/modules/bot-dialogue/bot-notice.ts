import { isId } from '../../kernel/ids.js';

/** Subject of the fanout for what a bot shows while it answers. */
export const BOT_NOTICES_SUBJECT = 'bots';

export const DRAFT_STATES = ['streaming', 'done', 'cancelled'] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

/** The bot as readers of its drafts see it. */
export interface DraftSender {
  type: 'bot';
  id: string;
  name: string;
  avatar_url: string | null;
}

/** A message of a bot that is being written. `text` is all so far. */
export interface DraftRecord {
  conversation_id: string;
  draft_id: string;
  turn_id: string;
  sender: DraftSender;
  text: string;
  state: DraftState;
}

/** The conversation that a notice is about. */
export interface NoticeScope {
  workspaceId: string;
  channelId: string;
  conversationId: string;
  contactId: string;
}

/** A fanout message that a bot types or has written a part. It is not recorded as an event. */
export type BotNotice = NoticeScope &
  ({ type: 'typing' | 'typing.stop'; bot: DraftSender } | { type: 'draft'; draft: DraftRecord });

const MAX_NAME_LENGTH = 1_000;
const MAX_TEXT_LENGTH = 300_000;

/** Checks a message from another process, which may run another version of the service. */
export function isBotNotice(body: unknown): body is BotNotice {
  const { type, workspaceId, channelId, conversationId, contactId, bot, draft } = fieldsOf(body);
  if (![workspaceId, channelId, conversationId, contactId].every(isId)) return false;
  if (type === 'typing' || type === 'typing.stop') return isSender(bot);
  return type === 'draft' && isDraft(draft) && fieldsOf(draft).conversation_id === conversationId;
}

function isDraft(value: unknown): boolean {
  const { draft_id, turn_id, sender, text, state } = fieldsOf(value);
  return (
    isId(draft_id) &&
    isId(turn_id) &&
    isSender(sender) &&
    typeof text === 'string' &&
    text.length <= MAX_TEXT_LENGTH &&
    DRAFT_STATES.some(known => known === state)
  );
}

function isSender(value: unknown): boolean {
  const { type, id, name, avatar_url } = fieldsOf(value);
  return (
    type === 'bot' &&
    isId(id) &&
    typeof name === 'string' &&
    name.length <= MAX_NAME_LENGTH &&
    (avatar_url === null || typeof avatar_url === 'string')
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
