import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import { wireTime } from '../../platform/database/wire-time.js';
import { containsText } from '../contacts/index.js';
import type { ConversationEntity } from './conversation.entity.js';
import type { ConversationWithContact } from './conversation-views.service.js';
import type { Conversation } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import { STATUSES } from './conversation.js';
import type { InboxQuery, Sort } from './inbox.js';
import { MENTIONED, PARTICIPATING } from './participants.repository.js';

type Query = SelectQueryBuilder<ConversationEntity>;

interface Order {
  /** Sort column, with the id as tie-breaker; null sorts by id alone. */
  column: 'lastActivityAt' | 'waitingSince' | null;
  direction: 'ASC' | 'DESC';
}

/** Each order matches an index. Ids ascend with time, so the newest have the highest. */
const ORDERS: Record<Sort, Order> = {
  last_activity: { column: 'lastActivityAt', direction: 'DESC' },
  created: { column: null, direction: 'DESC' },
  waiting: { column: 'waitingSince', direction: 'ASC' },
};

const fields = (...columns: string[]): string[] => columns.map(column => `'${column}', conversation.${column}`);
const times = (...columns: string[]): string[] =>
  columns.map(column => `'${column}', ${wireTime(`conversation.${column}`)}`);

/**
 * Builds the view of `ConversationViewsService.toStaffView` in SQL. Parsing forty columns per row and mapping them
 * through the ORM was most of a page's cost. A test compares both views.
 */
const RECORD = `json_build_object(${[
  ...fields('id', 'number', 'workspace_id', 'channel_id', 'contact_id', 'status', 'priority', 'assignee_id', 'bot_id'),
  ...fields('control', 'subject', 'tags', 'custom_attributes'),
  ...times('snoozed_until', 'waiting_since', 'first_response_at'),
  ...fields('last_message'),
  ...times('last_activity_at'),
  ...fields('last_seq'),
  `'unread', json_build_object('agents', conversation.unread_agents, 'contact', conversation.unread_contact)`,
  ...fields('agent_last_read_seq', 'contact_last_read_seq'),
  ...times('resolved_at'),
  ...fields(
    'resolved_by',
    'reopened_count',
    'previous_conversation_id',
    'csat',
    'context',
    'pre_chat',
    'handoff',
    'version',
  ),
  ...times('created_at', 'updated_at'),
  `'contact', (
    SELECT json_build_object('id', id, 'name', name, 'email', email, 'avatar_url', avatar_url, 'verified', verified)
    FROM contact
    WHERE contact.workspace_id = conversation.workspace_id AND contact.id = conversation.contact_id)`,
].join(', ')})`;

/** Lists conversations with filters and keyset pagination on matching indexes. */
@Injectable()
export class InboxRepository {
  constructor(private readonly conversations: ConversationsRepository) {}

  /** The inbox as agents and API keys see it. @throws CursorInvalid */
  async findPage(principal: StaffPrincipal, query: InboxQuery): Promise<Page<ConversationWithContact>> {
    const select = this.buildQuery(principal, query).select(RECORD, 'record');
    const rows = await select.getRawMany<{ record: ConversationWithContact }>();
    const records = rows.map(({ record }) => record);
    return toPage(records, query.limit, ({ id, last_activity_at, waiting_since }) =>
      cursorOf(query.sort, id, { lastActivityAt: last_activity_at, waitingSince: waiting_since }),
    );
  }

  /** A visitor's conversations, newest first. @throws CursorInvalid */
  async findVisitorPage(principal: VisitorPrincipal, page: PageRequest): Promise<Page<Conversation>> {
    const rows = await this.buildQuery(principal, { ...page, sort: 'created' }).getMany();
    return toPage(rows, page.limit, ({ id }) => cursorOf('created', id));
  }

  private buildQuery(principal: Principal, filters: InboxQuery): Query {
    const query = this.conversations.visibleTo(principal);
    applyFilters(query, filters);
    orderAndLimit(query, filters);
    mergeChannelIndexes(query, channelsOf(principal, filters), filters);
    return query;
  }
}

/** @param times of the row, in wire format */
function cursorOf(sort: Sort, id: string, times: Partial<Record<string, string | null>> = {}): string {
  const { column } = ORDERS[sort];
  const key = column === null ? [] : [new Date(times[column] ?? '').toISOString()];
  return encodeCursor(`conversations.${sort}`, [...key, id]);
}

function orderAndLimit(query: Query, { sort, limit, cursor }: InboxQuery): void {
  const { column, direction } = ORDERS[sort];
  const keys = [...(column === null ? [] : [`conversation.${column}`]), 'conversation.id'];
  if (sort === 'waiting') query.andWhere('conversation.waitingSince IS NOT NULL');
  if (cursor !== undefined) {
    const parts = decodeCursor(`conversations.${sort}`, cursor, keys.length);
    const [id, at] = [...parts].reverse();
    if (!isId(id) || (column !== null && !isRowTime(at))) throw new CursorInvalid();
    const marks = column === null ? '(:cursorId)' : '(:cursorAt, :cursorId)';
    query.andWhere(`(${keys.join(', ')}) ${direction === 'DESC' ? '<' : '>'} ${marks}`, { cursorAt: at, cursorId: id });
  }
  for (const key of keys) query.addOrderBy(key, direction);
  query.limit(limit + 1);
}

/** With more channels, most of the inbox matches and the inbox's own index is as good. */
const MAX_MERGED_CHANNELS = 25;

/** Channels that the list is limited to, by the caller's scope or the filter; null for all. */
function channelsOf(principal: Principal, { channelId }: InboxQuery): readonly string[] | null {
  if (principal.kind === 'visitor') return null;
  return channelId === undefined ? scopeOf(principal) : [channelId];
}

/**
 * Merges the newest conversations from each channel's index: in the inbox's index they may be far apart, with a million
 * of other channels between them. It grants no visibility, which the query already limits.
 * An array instead of a subquery tells PostgreSQL that the list is short; otherwise it may scan the inbox's index.
 */
function mergeChannelIndexes(query: Query, channels: readonly string[] | null, filters: InboxQuery): void {
  if (channels === null || channels.length > MAX_MERGED_CHANNELS || !filtersByChannelOnly(filters)) return;
  const beyond = filters.cursor === undefined ? '' : 'AND (one.last_activity_at, one.id) < (:cursorAt, :cursorId)';
  query.andWhere(
    `conversation.id = ANY(ARRAY(
      SELECT near.id FROM unnest(CAST(:mergedChannels AS uuid[])) AS channel (channel_id)
      CROSS JOIN unnest(CAST(:mergedStatuses AS text[])) AS state (status)
      CROSS JOIN LATERAL (
        SELECT one.id, one.last_activity_at FROM conversation AS one
        WHERE one.workspace_id = :workspaceId AND one.channel_id = channel.channel_id AND one.status = state.status ${beyond}
        ORDER BY one.last_activity_at DESC, one.id DESC LIMIT :mergedLimit
      ) AS near
      ORDER BY near.last_activity_at DESC, near.id DESC LIMIT :mergedLimit))`,
    {
      mergedChannels: [...channels],
      mergedStatuses: filters.status === undefined ? [...STATUSES] : [filters.status],
      mergedLimit: filters.limit + 1,
    },
  );
}

function filtersByChannelOnly({ sort, ...filters }: InboxQuery): boolean {
  const others = [
    filters.assigneeId,
    filters.contactId,
    filters.tag,
    filters.priority,
    filters.query,
    filters.updatedSince,
    filters.participantId,
    filters.mentionedId,
  ];
  return sort === 'last_activity' && others.every(other => other === undefined);
}

/** Accepts only a time in wire format, which the database can parse. */
function isRowTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-/.test(value) || Number.isNaN(Date.parse(value))) return false;
  return new Date(value).toISOString() === value;
}

function applyFilters(query: Query, filters: InboxQuery): void {
  const equal = (column: string, value: unknown) => {
    if (value !== undefined) query.andWhere(`conversation.${column} = :${column}`, { [column]: value });
  };
  equal('status', filters.status);
  equal('channelId', filters.channelId);
  equal('contactId', filters.contactId);
  equal('priority', filters.priority);
  if (filters.assigneeId === null) query.andWhere('conversation.assigneeId IS NULL');
  else equal('assigneeId', filters.assigneeId);
  if (filters.tag !== undefined) query.andWhere(':tag = ANY(conversation.tags)', { tag: filters.tag });
  if (filters.updatedSince) query.andWhere('conversation.updatedAt >= :since', { since: filters.updatedSince });
  applyParticipation(query, filters);
  if (filters.query !== undefined) applySearch(query, filters.query);
}

/** Looks the conversations up by id. PostgreSQL would rather scan the inbox's index, but may find them at its far end. */
function applyParticipation(query: Query, { participantId, mentionedId }: InboxQuery): void {
  if (participantId !== undefined) {
    query.andWhere(`conversation.id = ANY(${PARTICIPATING})`, { participant: participantId });
  }
  if (mentionedId !== undefined) query.andWhere(`conversation.id = ANY(${MENTIONED})`, { mentioned: mentionedId });
}

/** Searches the contact's name and e-mail, and the conversation's number with or without `#`. */
function applySearch(query: Query, text: string): void {
  const number = /^#?(\d{1,9})$/.exec(text.trim())?.[1];
  const { condition: matches, parameters } = containsText(['name'], text);
  query.setParameters(parameters);
  if (number === undefined) {
    query.andWhere(`EXISTS (
      SELECT 1 FROM contact WHERE contact.workspace_id = conversation.workspace_id
        AND contact.id = conversation.contact_id AND ${matches})`);
    return;
  }
  // UNION ALL, so that each part uses its index: with one OR condition PostgreSQL scans every conversation
  query.andWhere(
    `conversation.id IN (
      SELECT numbered.id FROM conversation AS numbered
      WHERE numbered.workspace_id = :workspaceId AND numbered.number = :number
      UNION ALL
      SELECT theirs.id FROM contact
        JOIN conversation AS theirs ON theirs.workspace_id = contact.workspace_id AND theirs.contact_id = contact.id
      WHERE contact.workspace_id = :workspaceId AND ${matches})`,
    { number: Number(number) },
  );
}
