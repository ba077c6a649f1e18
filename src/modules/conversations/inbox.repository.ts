import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { CursorInvalid } from '../../kernel/errors.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { scopeOf, systemOf } from '../../kernel/principal.js';
import { SqlService } from '../../platform/database/sql.service.js';
import type { ConversationEntity } from './conversation.entity.js';
import type { ConversationWithContact } from './conversation-views.service.js';
import type { Conversation } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import { PRIORITIES, STATUSES } from './conversation.js';
import type { Lookup } from './inbox-conditions.js';
import { conditionsOf, listedBy } from './inbox-conditions.js';
import { RECORD } from './inbox-record.js';
import type { InboxFilters, InboxQuery } from './inbox.js';
import type { Position } from './inbox-order.js';
import { cursorOf, directionOf, listOf, ORDERS, readCursor } from './inbox-order.js';

type Query = SelectQueryBuilder<ConversationEntity>;

/** Conversations that are read from an index and sorted. */
const MAX_LISTED = 2_000;
/** Conversations in the list's order among which frequent ones are looked for. */
const HORIZON = 10_000;

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

  /**
   * One row more than the limit, if there is one. With a condition that few conversations meet, they are read from its
   * index. With a frequent one they are found in the list's own order, unless they are rare among its next conversations.
   */
  private async findRecords(
    principal: StaffPrincipal,
    query: InboxQuery,
    after: Position | null,
  ): Promise<ConversationWithContact[]> {
    const rarest = await this.findRarest(principal, query);
    if (!rarest) return this.read(this.buildQuery(principal, query, after));
    const { sql, values } = listedBy(rarest.lookup);
    const listed = this.buildQuery(principal, query, after).andWhere(sql, values);
    if (rarest.count < MAX_LISTED) return this.read(listed);
    const near = this.buildQuery(principal, query, after);
    const isBounded = await this.stopAtHorizon(near, principal, query, after);
    const found = await this.read(near);
    return !isBounded || found.length > query.limit ? found : this.read(listed);
  }

  private async read(query: Query): Promise<ConversationWithContact[]> {
    const rows = await query.select(RECORD, 'record').getRawMany<{ record: ConversationWithContact }>();
    return rows.map(({ record }) => record);
  }

  /** The lookup that finds the fewest conversations; null if there is none, or the list is short by its own order. */
  private async findRarest(
    { workspaceId }: StaffPrincipal,
    filters: InboxFilters,
  ): Promise<{ lookup: Lookup; count: number } | null> {
    if (filters.sort === 'waiting') return null;
    const counted: { lookup: Lookup; count: number }[] = [];
    for (const { lookup } of conditionsOf(filters)) {
      if (!lookup) continue;
      const values = [workspaceId, lookup.value, MAX_LISTED];
      const row = await this.sql.first<{ count: number }>(lookup.index.count, values);
      counted.push({ lookup, count: row?.count ?? 0 });
    }
    return counted.sort((a, b) => a.count - b.count)[0] ?? null;
  }

  /** Limits the query to the workspace's next conversations in its order. @returns false if these are all */
  private async stopAtHorizon(
    query: Query,
    { workspaceId }: StaffPrincipal,
    { sort, order }: InboxQuery,
    after: Position | null,
  ): Promise<boolean> {
    const all = this.conversations.visibleTo(systemOf(workspaceId));
    orderAndLimit(all, { sort, order, limit: 0 }, after);
    const { column } = ORDERS[sort];
    if (column !== null) all.select(`conversation.${column}`, 'at').addSelect('conversation.id', 'id');
    else all.select('conversation.id', 'id');
    const last = await all.offset(HORIZON).getRawOne<{ at: Date; id: string }>();
    if (!last) return false;
    const keys = column === null ? '(conversation.id)' : `(conversation.${column}, conversation.id)`;
    const marks = column === null ? '(:horizonId)' : '(:horizonAt, :horizonId)';
    const within = directionOf({ sort, order }) === 'DESC' ? '>=' : '<=';
    query.andWhere(`${keys} ${within} ${marks}`, { horizonAt: last.at, horizonId: last.id });
    return true;
  }

  private buildQuery(principal: Principal, filters: InboxQuery, after: Position | null): Query {
    const query = this.conversations.visibleTo(principal);
    for (const { sql, values } of conditionsOf(filters)) query.andWhere(sql, values);
    orderAndLimit(query, filters, after);
    mergeChannelIndexes(query, channelsOf(principal, filters), filters, after);
    return query;
  }
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
