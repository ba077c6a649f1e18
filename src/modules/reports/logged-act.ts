import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { MessageFacts } from '../messages/index.js';
import type { Act } from './fact.js';
import type { EntryKey } from './openings.repository.js';

/** An act of the log, before its duration is measured. */
export type LoggedAct = EntryKey & Pick<Act, 'channelId' | 'memberId' | 'tagIds' | 'at'> & LoggedKind;

export type LoggedKind =
  | { kind: 'created' | 'reopened' | 'withdrawn' }
  | { kind: 'resolved'; byBot: boolean }
  | { kind: 'answered'; askedAt: Date }
  | { kind: 'rated'; score: number };

const RESOLVES = ['resolved', 'closed_by_contact'];

/** SQL of the events that are acts, on the columns of `event`. @param since SQL of the time from which they count */
export const isAct = (since: string): string => `CASE type
  WHEN 'message.created' THEN payload ? 'facts' AND (payload #>> '{message,created_at}')::timestamptz >= ${since}
  WHEN 'message.deleted' THEN payload #>> '{message,content_type}' = 'event'
  WHEN 'conversation.created' THEN (payload #>> '{conversation,created_at}')::timestamptz >= ${since}
  WHEN 'tag.updated' THEN payload ->> 'into_id' IS NOT NULL END`;

/** @returns null for an event that reports do not count */
export function toLoggedAct(event: RecordedEvent): LoggedAct | null {
  const { type } = event;
  if (type === 'conversation.created') return toCreated(event as RecordedEvent<'conversation.created'>);
  if (type === 'message.created') return toMessageAct(event as RecordedEvent<'message.created'>);
  if (type === 'message.deleted') return toWithdrawn(event as RecordedEvent<'message.deleted'>);
  return null;
}

function toCreated({ workspaceId, payload: { conversation } }: RecordedEvent<'conversation.created'>): LoggedAct {
  const { id: conversationId, channel_id: channelId, created_at } = conversation;
  const at = new Date(created_at);
  return {
    workspaceId,
    conversationId,
    channelId,
    messageId: '',
    seq: 0,
    memberId: null,
    tagIds: [],
    at,
    kind: 'created',
  };
}

function toMessageAct(event: RecordedEvent<'message.created'>): LoggedAct | null {
  const { message, facts } = event.payload;
  const kind = facts && kindOf(event, facts);
  if (!facts || !kind) return null;
  const at = new Date(facts.rated_at ?? message.created_at);
  return { ...entryOf(event), memberId: facts.member_id, tagIds: facts.tag_ids, at, ...kind };
}

function kindOf({ payload, actor }: RecordedEvent<'message.created'>, facts: MessageFacts): LoggedKind | null {
  const { event } = payload.message.metadata;
  if (facts.asked_at !== undefined) return { kind: 'answered', askedAt: new Date(facts.asked_at) };
  if (facts.score !== undefined) return { kind: 'rated', score: facts.score };
  if (event === 'reopened') return { kind: 'reopened' };
  return RESOLVES.includes(String(event)) ? { kind: 'resolved', byBot: actor.type === 'bot' } : null;
}

/** The service withdraws the entry of a resolve only. */
function toWithdrawn(event: RecordedEvent<'message.deleted'>): LoggedAct {
  const at = new Date(event.payload.message.created_at);
  return { ...entryOf(event), memberId: null, tagIds: [], at, kind: 'withdrawn' };
}

function entryOf({
  workspaceId,
  channelId,
  payload: { message },
}: RecordedEvent<'message.created' | 'message.deleted'>) {
  const { id: messageId, conversation_id: conversationId, seq } = message;
  return { workspaceId, channelId: channelId ?? '', conversationId, messageId, seq };
}
