import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import { SqlService } from '../../platform/database/sql.service.js';
import { wireTime } from '../../platform/database/wire-time.js';
import type { ConversationEntity } from './conversation.entity.js';
import type { ConversationWithContact } from './conversation-views.service.js';
import type { Conversation, Priority } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import { PRIORITIES, STATUSES } from './conversation.js';
import { conditionsOf } from './inbox-conditions.js';
import type { InboxFilters, InboxQuery, Sort } from './inbox.js';

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
  priority: { column: 'lastActivityAt', direction: 'DESC' },
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
  ...fields('control', 'subject'),
  `'tags', CASE conversation.tag_ids WHEN '{}' THEN CAST('{}' AS text[]) ELSE tag_names(conversation.workspace_id, conversation.tag_ids) END`,
  ...fields('custom_attributes'),
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
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly sql: SqlService,
  ) {}

  /** The inbox as agents and API keys see it. @throws CursorInvalid */
  async findPage(principal: StaffPrincipal, query: InboxQuery): Promise<Page<ConversationWithContact>> {
    const records =
      query.sort === 'priority'
        ? await this.findByPriority(principal, query)
        : await this.findRecords(principal, query, readCursor(query));
    return toPage(records, query.limit, last => cursorOf(query.sort, last));
  }

  /** Counts the conversations that match; counting stops at `limit`. @param timeout in milliseconds */
  async countMatches(
    principal: StaffPrincipal,
    filters: InboxFilters,
    limit: number,
    timeout?: number,
  ): Promise<number> {
    const query = this.conversations.visibleTo(principal).select('1', 'one').limit(limit);
    for (const { sql, values } of conditionsOf(filters)) query.andWhere(sql, values);
    return (await this.sql.once(...query.getQueryAndParameters(), timeout)).length;
  }

  /** A visitor's conversations, newest first. @throws CursorInvalid */
  async findVisitorPage(principal: VisitorPrincipal, page: PageRequest): Promise<Page<Conversation>> {
    const query: InboxQuery = { ...page, sort: 'created' };
    const found = await this.buildQuery(principal, query, readCursor(query)).getMany();
    const rows = await this.conversations.withAllTags(found);
    return toPage(rows, page.limit, ({ id }) => encodeCursor(listOf('created'), [id]));
  }

  /** One priority after the other, so that each is read in the order of an index. */
  private async findByPriority(principal: StaffPrincipal, query: InboxQuery): Promise<ConversationWithContact[]> {
    const { priorities = PRIORITIES, limit } = query;
    const position = readCursor(query);
    const ascending = PRIORITIES.filter(priority => priorities.includes(priority));
    const order = directionOf(query) === 'ASC' ? ascending : ascending.reverse();
    const start = position?.priority === undefined ? 0 : order.indexOf(position.priority);
    if (start < 0) throw new CursorInvalid();
    const found: ConversationWithContact[] = [];
    for (const [index, priority] of order.slice(start).entries()) {
      if (found.length > limit) break;
      const rest = { ...query, priorities: [priority], limit: limit - found.length };
      found.push(...(await this.findRecords(principal, rest, index === 0 ? position : null)));
    }
    return found;
  }

  /** One row more than the limit, if there is one. */
  private async findRecords(
    principal: StaffPrincipal,
    query: InboxQuery,
    after: Position | null,
  ): Promise<ConversationWithContact[]> {
    const select = this.buildQuery(principal, query, after).select(RECORD, 'record');
    return (await select.getRawMany<{ record: ConversationWithContact }>()).map(({ record }) => record);
  }

  private buildQuery(principal: Principal, filters: InboxQuery, after: Position | null): Query {
    const query = this.conversations.visibleTo(principal);
    for (const { sql, values } of conditionsOf(filters)) query.andWhere(sql, values);
    orderAndLimit(query, filters, after);
    mergeChannelIndexes(query, channelsOf(principal, filters), filters, after);
    return query;
  }
}

/** The sort key of the last row of a page. */
interface Position {
  priority?: Priority;
  at?: string;
  id: string;
}

function listOf(sort: Sort): string {
  return `conversations.${sort}`;
}

function cursorOf(sort: Sort, { id, priority, last_activity_at, waiting_since }: ConversationWithContact): string {
  const times = { lastActivityAt: last_activity_at, waitingSince: waiting_since };
  const { column } = ORDERS[sort];
  const key = column === null ? [] : [new Date(times[column] ?? '').toISOString()];
  return encodeCursor(listOf(sort), [...(sort === 'priority' ? [priority] : []), ...key, id]);
}

/** @returns null without a cursor @throws CursorInvalid */
function readCursor({ sort, cursor }: InboxQuery): Position | null {
  if (cursor === undefined) return null;
  const isDated = ORDERS[sort].column !== null;
  const parts = decodeCursor(listOf(sort), cursor, 1 + Number(isDated) + Number(sort === 'priority'));
  const [id, at, priority] = [...parts].reverse();
  if (!isId(id) || (isDated && !isRowTime(at))) throw new CursorInvalid();
  if (sort === 'priority' && !(PRIORITIES as readonly unknown[]).includes(priority)) throw new CursorInvalid();
  return { id, at: at as string, priority: priority as Priority };
}

function directionOf({ sort, order }: InboxFilters): 'ASC' | 'DESC' {
  return order === undefined ? ORDERS[sort].direction : order === 'asc' ? 'ASC' : 'DESC';
}

function orderAndLimit(query: Query, filters: InboxQuery, after: Position | null): void {
  const { column } = ORDERS[filters.sort];
  const direction = directionOf(filters);
  const keys = [...(column === null ? [] : [`conversation.${column}`]), 'conversation.id'];
  if (after) {
    const marks = column === null ? '(:cursorId)' : '(:cursorAt, :cursorId)';
    query.andWhere(`(${keys.join(', ')}) ${BEYOND[direction]} ${marks}`, { cursorAt: after.at, cursorId: after.id });
  }
  for (const key of keys) query.addOrderBy(key, direction);
  query.limit(filters.limit + 1);
}

const BEYOND = { ASC: '>', DESC: '<' } as const;

/** With more channels, most of the inbox matches and the inbox's own index is as good. */
const MAX_MERGED_CHANNELS = 25;

/** Channels that the list is limited to, by the caller's scope or the filter; null for all. */
function channelsOf(principal: Principal, { channelIds }: InboxQuery): readonly string[] | null {
  if (principal.kind === 'visitor') return null;
  return channelIds ?? scopeOf(principal);
}

/**
 * Merges the newest conversations from each channel's index: in the inbox's index they may be far apart, with a million
 * of other channels between them. It grants no visibility, which the query already limits.
 * An array instead of a subquery tells PostgreSQL that the list is short; otherwise it may scan the inbox's index.
 */
function mergeChannelIndexes(
  query: Query,
  channels: readonly string[] | null,
  filters: InboxQuery,
  after: Position | null,
): void {
  if (channels === null || channels.length > MAX_MERGED_CHANNELS || !filtersByChannelOnly(filters)) return;
  const direction = directionOf(filters);
  const beyond = after ? `AND (one.last_activity_at, one.id) ${BEYOND[direction]} (:cursorAt, :cursorId)` : '';
  query.andWhere(
    `conversation.id = ANY(ARRAY(
      SELECT near.id FROM unnest(CAST(:mergedChannels AS uuid[])) AS channel (channel_id)
      CROSS JOIN unnest(CAST(:mergedStatuses AS text[])) AS state (status)
      CROSS JOIN LATERAL (
        SELECT one.id, one.last_activity_at FROM conversation AS one
        WHERE one.workspace_id = :workspaceId AND one.channel_id = channel.channel_id AND one.status = state.status ${beyond}
        ORDER BY one.last_activity_at ${direction}, one.id ${direction} LIMIT :mergedLimit
      ) AS near
      ORDER BY near.last_activity_at ${direction}, near.id ${direction} LIMIT :mergedLimit))`,
    {
      mergedChannels: [...new Set(channels)],
      mergedStatuses: filters.statuses === undefined ? [...STATUSES] : [...new Set(filters.statuses)],
      mergedLimit: filters.limit + 1,
    },
  );
}

const MERGED = new Set(['statuses', 'channelIds', 'sort', 'order', 'limit', 'cursor']);

function filtersByChannelOnly(filters: InboxQuery): boolean {
  const others = Object.entries(filters).filter(([name, value]) => !MERGED.has(name) && value !== undefined);
  return filters.sort === 'last_activity' && others.length === 0;
}

/** Accepts only a time in wire format, which the database can parse. */
function isRowTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-/.test(value) || Number.isNaN(Date.parse(value))) return false;
  return new Date(value).toISOString() === value;
}
