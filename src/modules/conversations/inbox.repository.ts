import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { CursorInvalid } from '../../kernel/errors.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import { SqlService } from '../../platform/database/sql.service.js';
import { ConversationFacetsRepository } from './conversation-facets.repository.js';
import type { ConversationEntity } from './conversation.entity.js';
import type { ConversationWithContact } from './conversation-views.service.js';
import type { Conversation } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import { PRIORITIES, STATUSES } from './conversation.js';
import type { Condition } from './inbox-conditions.js';
import { conditionsOf } from './inbox-conditions.js';
import { RECORD } from './inbox-record.js';
import type { InboxFilters, InboxQuery } from './inbox.js';
import type { Position, Row } from './inbox-order.js';
import { compareRecords, compareRows, cursorOf, directionOf, listOf, ORDERS, readCursor } from './inbox-order.js';

type Query = SelectQueryBuilder<ConversationEntity>;

/** Counting the conversations with a facet stops here. */
const MAX_COUNTED = 2_000;

/** Lists conversations with filters and keyset pagination on matching indexes. */
@Injectable()
export class InboxRepository {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly facets: ConversationFacetsRepository,
    private readonly sql: SqlService,
  ) {}

  /** The inbox as agents and API keys see it. @throws CursorInvalid */
  async findPage(principal: StaffPrincipal, query: InboxQuery): Promise<Page<ConversationWithContact>> {
    const rows =
      query.sort === 'priority'
        ? await this.findByPriority(principal, query)
        : await this.findRows(principal, query, readCursor(query));
    const page = toPage(rows, query.limit, last => cursorOf(query.sort, last));
    const records = page.items.map(({ record }) => record);
    return { ...page, items: query.sort === 'waiting' ? records : records.sort(compareRecords(query)) };
  }

  /** Finds those of the conversations that the caller may see. Leaves out erased ones. */
  async findVisible(principal: StaffPrincipal, ids: readonly string[]): Promise<ConversationWithContact[]> {
    const query = this.conversations.visibleTo(principal).select(RECORD, 'record');
    query.andWhere('conversation.id = ANY(:ids) AND conversation.erasedAt IS NULL', { ids: [...ids] });
    return (await query.getRawMany<Row>()).map(({ record }) => record);
  }

  /** Counts the conversations that match; counting stops at `limit`. @param timeout in milliseconds */
  async countMatches(
    principal: StaffPrincipal,
    filters: InboxFilters,
    limit: number,
    timeout?: number,
  ): Promise<number> {
    const conditions = conditionsOf(filters);
    const query = this.buildQuery(principal, { ...filters, limit: limit - 1 }, conditions, null).select('1', 'one');
    const [text, values] = query.getQueryAndParameters();
    const sql = `SELECT count(*)::int AS count FROM (${text}) AS found`;
    const [row] = await this.sql.once<{ count: number }>(sql, values, timeout);
    return row?.count ?? 0;
  }

  /** A visitor's conversations, newest first. @throws CursorInvalid */
  async findVisitorPage(principal: VisitorPrincipal, page: PageRequest): Promise<Page<Conversation>> {
    const query: InboxQuery = { ...page, sort: 'created' };
    const found = await this.buildQuery(principal, query, [], readCursor(query)).getMany();
    const rows = await this.conversations.withAllTags(found);
    return toPage(rows, page.limit, ({ id }) => encodeCursor(listOf('created'), [id]));
  }

  /** One priority after the other, so that each is read in the order of an index. */
  private async findByPriority(principal: StaffPrincipal, query: InboxQuery): Promise<Row[]> {
    const { priorities = PRIORITIES, limit } = query;
    const position = readCursor(query);
    const ascending = PRIORITIES.filter(priority => priorities.includes(priority));
    const order = directionOf(query) === 'ASC' ? ascending : ascending.reverse();
    const start = position?.priority === undefined ? 0 : order.indexOf(position.priority);
    if (start < 0) throw new CursorInvalid();
    const found: Row[] = [];
    for (const [index, priority] of order.slice(start).entries()) {
      if (found.length > limit) break;
      const rest = { ...query, priorities: [priority], limit: limit - found.length };
      found.push(...(await this.findRows(principal, rest, index === 0 ? position : null)));
    }
    return found;
  }

  /**
   * One row more than the limit, if there is one. With facets, the list is read in the order of the rarest, which may be
   * two seconds behind.
   */
  private async findRows(principal: StaffPrincipal, query: InboxQuery, after: Position | null): Promise<Row[]> {
    const conditions = conditionsOf(query);
    const rarest = await this.findRarest(principal, query, conditions);
    if (!rarest) return this.read(this.buildQuery(principal, query, conditions, after), query);
    const others = conditions.map(condition => (condition === rarest ? { ...condition, facets: [] } : condition));
    const rows = new Map<string, Row>();
    for (const facet of rarest.facets ?? []) {
      for (const row of await this.readByFacet(principal, query, others, after, facet)) rows.set(row.record.id, row);
    }
    return [...rows.values()].sort(compareRows(query)).slice(0, query.limit + 1);
  }

  private read(query: Query, { sort }: InboxFilters): Promise<Row[]> {
    const { column } = ORDERS[sort];
    query.select(RECORD, 'record').addSelect(column === null ? 'NULL' : `conversation.${column}`, 'at');
    return query.getRawMany<Row>();
  }

  /**
   * Reads the conversations with a facet in its order, and checks each. OFFSET 0 keeps PostgreSQL from reading all
   * conversations that meet the conditions first, and sorting them.
   */
  private readByFacet(
    principal: StaffPrincipal,
    filters: InboxQuery,
    conditions: readonly Condition[],
    after: Position | null,
    facet: string,
  ): Promise<Row[]> {
    const one = this.conversations.visibleTo(principal).select(RECORD, 'record');
    one.andWhere('conversation.id = listed.conversation_id');
    applyConditions(one, conditions);
    const [record, parameters] = one.getQueryAndParameters();
    const values: unknown[] = [...parameters];
    const parameter = (value: unknown) => `$${values.push(value)}`;
    const direction = directionOf(filters);
    const isTimed = ORDERS[filters.sort].column !== null;
    const keys = [...(isTimed ? ['listed.active_at'] : []), 'listed.conversation_id'];
    const marks = after && [...(isTimed ? [after.at] : []), after.id].map(parameter).join(', ');
    const text = `
      SELECT one.record, ${isTimed ? 'listed.active_at' : 'NULL'} AS at
      FROM conversation_facet AS listed CROSS JOIN LATERAL (${record} OFFSET 0) AS one
      WHERE listed.workspace_id = ${parameter(principal.workspaceId)} AND listed.facet = ${parameter(facet)}
        ${marks === null ? '' : `AND (${keys.join(', ')}) ${BEYOND[direction]} (${marks})`}
      ORDER BY ${keys.map(key => `${key} ${direction}`).join(', ')} LIMIT ${parameter(filters.limit + 1)}`;
    return this.sql.once<Row>(text, values);
  }

  /** The condition whose facets the fewest conversations have; null if there is none, or the list is short by its order. */
  private async findRarest(
    { workspaceId }: StaffPrincipal,
    { sort }: InboxFilters,
    conditions: readonly Condition[],
  ): Promise<Condition | null> {
    const candidates = conditions.filter(({ facets }) => facets !== undefined);
    if (sort === 'waiting') return null;
    if (candidates.length < 2) return candidates[0] ?? null;
    const counted: { condition: Condition; count: number }[] = [];
    for (const condition of candidates) {
      counted.push({ condition, count: await this.facets.count(workspaceId, condition.facets ?? [], MAX_COUNTED) });
    }
    return counted.sort((a, b) => a.count - b.count)[0]?.condition ?? null;
  }

  private buildQuery(
    principal: Principal,
    filters: InboxQuery,
    conditions: readonly Condition[],
    after: Position | null,
  ): Query {
    const query = this.conversations.visibleTo(principal);
    applyConditions(query, conditions);
    orderAndLimit(query, filters, after);
    mergeChannelIndexes(query, channelsOf(principal, filters), filters, after);
    return query;
  }
}

function applyConditions(query: Query, conditions: readonly Condition[]): void {
  for (const [index, { sql, values, facets = [] }] of conditions.entries()) {
    query.andWhere(sql, values);
    if (facets.length > 0) query.andWhere(hasFacet(`facets${index}`), { [`facets${index}`]: [...facets] });
  }
}

function hasFacet(parameter: string): string {
  return `EXISTS (
    SELECT FROM conversation_facet AS owned WHERE owned.workspace_id = :workspaceId
      AND owned.conversation_id = conversation.id AND owned.facet = ANY(:${parameter}))`;
}

function orderAndLimit(query: Query, filters: InboxQuery, after: Position | null): void {
  const direction = directionOf(filters);
  const { column } = ORDERS[filters.sort];
  const isByActivity = column === 'lastActivityAt';
  const keys = [...(column === null ? [] : [`conversation.${column}`]), 'conversation.id'];
  if (after) {
    const marks = keys.length === 1 ? '(:cursorId)' : '(:cursorAt, :cursorId)';
    query.andWhere(`(${keys.join(', ')}) ${BEYOND[direction]} ${marks}`, { cursorAt: after.at, cursorId: after.id });
    if (isByActivity) query.andWhere(`conversation.activityPeriod ${BEYOND[direction]}= ${CURSOR_PERIOD}`);
  }
  for (const key of [...(isByActivity ? ['conversation.activityPeriod'] : []), ...keys])
    query.addOrderBy(key, direction);
  query.limit(filters.limit + 1);
}

const BEYOND = { ASC: '>', DESC: '<' } as const;

/** The `activity_period` of the cursor. Lists by activity are read in the order of this index and sorted within it. */
const CURSOR_PERIOD = `date_bin('5 seconds', CAST(:cursorAt AS timestamptz), timestamptz '2000-01-01 00:00:00+00')`;

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
  const order = (of: string) =>
    ['activity_period', 'last_activity_at', 'id'].map(column => `${of}.${column} ${direction}`).join(', ');
  const beyond = after
    ? `AND (one.last_activity_at, one.id) ${BEYOND[direction]} (:cursorAt, :cursorId)
       AND one.activity_period ${BEYOND[direction]}= ${CURSOR_PERIOD}`
    : '';
  query.andWhere(
    `conversation.id = ANY(ARRAY(
      SELECT near.id FROM unnest(CAST(:mergedChannels AS uuid[])) AS channel (channel_id)
      CROSS JOIN unnest(CAST(:mergedStatuses AS text[])) AS state (status)
      CROSS JOIN LATERAL (
        SELECT one.id, one.activity_period, one.last_activity_at FROM conversation AS one
        WHERE one.workspace_id = :workspaceId AND one.channel_id = channel.channel_id AND one.status = state.status ${beyond}
        ORDER BY ${order('one')} LIMIT :mergedLimit
      ) AS near
      ORDER BY ${order('near')} LIMIT :mergedLimit))`,
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
