import type { Json } from './json.js';
import type { World } from './world.js';

/** Something that a report counts. */
export interface Counted {
  kind: 'created' | 'resolved' | 'reopened' | 'messages_in' | 'messages_out' | 'bot_messages' | 'rated' | 'answered';
  conversationId: string;
  channelId: string;
  memberId: string | null;
  /** Names. */
  tags: readonly string[];
  at: number;
  /** Duration of a resolution by a person, or of a first response. */
  ms?: number;
  /** A resolve. */
  byBot?: boolean;
  score?: number;
}

interface LoggedEvent {
  type: string;
  conversation_id: string;
  channel_id: string;
  actor: Json;
  payload: Json;
}

/** A conversation while its events are read in order. */
interface Talk {
  assigneeId: string | null;
  accountableId: string | null;
  resolvedByBot: boolean;
  status: string;
  tags: string[];
  openedAt: number;
  waitingSince: number | null;
  answered: boolean;
  asked: boolean;
  /** At the last rating. */
  ratedTags: string[];
  /** True if a bot lost control in the last change: the contact did not wait for an answer that follows at once. */
  isTaken: boolean;
  /** The change of status whose timeline entry follows. */
  change: { from: string; to: string } | null;
}

/** Counts a workspace from its event log, slowly and independently of the service's facts. */
export async function recount(world: World, workspaceId: string): Promise<Counted[]> {
  const events = await world.app.database.query<LoggedEvent>(
    `SELECT type, conversation_id, channel_id, actor, payload FROM event
     WHERE workspace_id = $1 AND conversation_id IS NOT NULL ORDER BY position`,
    [workspaceId],
  );
  const talks = new Map<string, Talk>();
  const counted: Counted[] = [];
  for (const event of events) read(event, talks, counted);
  return [...counted, ...(await ratings(world, workspaceId, talks))];
}

function read(event: LoggedEvent, talks: Map<string, Talk>, counted: Counted[]): void {
  const { type, payload, conversation_id: id } = event;
  if (type === 'conversation.created') {
    const { created_at: createdAt, status } = payload.conversation;
    const at = Date.parse(createdAt as string);
    talks.set(id, newTalk(at, status as string));
    counted.push({ ...scopeOf(event), kind: 'created', memberId: null, tags: [], at });
    return;
  }
  const talk = talks.get(id);
  if (!talk) throw new Error(`the log tells nothing of the beginning of ${id}`);
  if (type === 'conversation.updated') readChange(payload.changes as Json, talk, event, counted);
  if (type === 'message.created') readMessage(event, talk, counted);
}

function readChange(changes: Json, talk: Talk, event: LoggedEvent, counted: Counted[]): void {
  const { status } = changes;
  if (status) {
    talk.change = status;
    if (status.to === 'resolved') {
      talk.accountableId = talk.assigneeId ?? (event.actor.type === 'member' ? event.actor.id : null);
      talk.resolvedByBot = event.actor.type === 'bot';
    } else if (status.from === 'resolved' && changes.reopened_count === undefined) {
      const last = counted.findLastIndex(
        one => one.kind === 'resolved' && one.conversationId === event.conversation_id,
      );
      counted.splice(last, 1);
    }
    talk.status = status.to;
  }
  talk.isTaken = changes.control?.from === 'bot';
  if (changes.assignee_id) talk.assigneeId = changes.assignee_id.to;
  if (changes.tags) talk.tags = changes.tags.to;
  if (changes.waiting_since) talk.waitingSince = timeOrNull(changes.waiting_since.to);
}

function readMessage(event: LoggedEvent, talk: Talk, counted: Counted[]): void {
  const { message } = event.payload;
  const { isTaken } = talk;
  talk.isTaken = false;
  const at = Date.parse(message.created_at as string);
  const add = (kind: Counted['kind'], memberId: string | null, more: Partial<Counted> = {}) =>
    counted.push({ ...scopeOf(event), kind, memberId, tags: talk.tags, at, ...more });
  if (message.content_type === 'event') {
    const { change } = talk;
    if (message.metadata.event === 'rated') talk.ratedTags = talk.tags;
    if (!change || message.private) return;
    if (change.to === 'resolved') {
      add('resolved', talk.accountableId, talk.resolvedByBot ? { byBot: true } : { ms: at - talk.openedAt });
    } else if (change.from === 'resolved') {
      add('reopened', talk.accountableId);
      talk.openedAt = at;
    }
    talk.change = null;
    return;
  }
  if (message.private) return;
  if (message.sender_type === 'contact') {
    add('messages_in', null);
    // while a bot answers, the contact does not wait for a person
    if (talk.status !== 'pending') talk.waitingSince ??= at;
    talk.asked = true;
    return;
  }
  if (message.sender_type === 'bot') {
    add('bot_messages', null);
    if (message.metadata.auto === undefined) talk.waitingSince = null;
    return;
  }
  add('messages_out', message.sender_id as string);
  if (talk.asked && !talk.answered) {
    if (talk.waitingSince !== null && !isTaken)
      add('answered', message.sender_id as string, { ms: at - talk.waitingSince });
    talk.answered = true;
  }
  talk.waitingSince = null;
}

/** The last rating of each conversation, which erasing leaves on its row alone. */
async function ratings(world: World, workspaceId: string, talks: Map<string, Talk>): Promise<Counted[]> {
  const rows = await world.app.database.query<Json>(
    `SELECT id, channel_id, csat, csat_member_id FROM conversation WHERE workspace_id = $1 AND csat IS NOT NULL`,
    [workspaceId],
  );
  return rows.map(({ id, channel_id: channelId, csat, csat_member_id: memberId }) => {
    const subject = {
      conversationId: id as string,
      channelId: channelId as string,
      memberId: memberId as string | null,
    };
    const tags = talks.get(id as string)?.ratedTags ?? [];
    return { ...subject, kind: 'rated', tags, at: Date.parse(csat.rated_at as string), score: csat.score as number };
  });
}

function newTalk(openedAt: number, status: string): Talk {
  const unset = { assigneeId: null, accountableId: null, tags: [], ratedTags: [], waitingSince: null, change: null };
  return { ...unset, status, openedAt, answered: false, asked: false, resolvedByBot: false, isTaken: false };
}

function scopeOf({ conversation_id: conversationId, channel_id: channelId }: LoggedEvent) {
  return { conversationId, channelId };
}

function timeOrNull(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}
