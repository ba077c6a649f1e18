import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { decodeCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { likePattern } from '../../platform/database/like.js';
import type { ConversationEntity } from './conversation.entity.js';
import type { Conversation } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import type { InboxQuery, Sort } from './inbox.js';

type Query = SelectQueryBuilder<ConversationEntity>;

interface Order {
  /** What rows are ordered by, besides the id that settles ties; null where the id is the order. */
  column: 'lastActivityAt' | 'waitingSince' | null;
  direction: 'ASC' | 'DESC';
}

/** Each matches an index. Ids ascend with time, so the newest have the highest. */
const ORDERS: Record<Sort, Order> = {
  last_activity: { column: 'lastActivityAt', direction: 'DESC' },
  created: { column: null, direction: 'DESC' },
  waiting: { column: 'waitingSince', direction: 'ASC' },
};

/** Lists of conversations: filters, and keysets on the indexes that match their orders. */
@Injectable()
export class InboxRepository {
  constructor(private readonly conversations: ConversationsRepository) {}

  async page(principal: Principal, wanted: InboxQuery): Promise<Page<Conversation>> {
    const query = this.conversations.visibleTo(principal);
    filter(query, wanted);
    arrange(query, wanted);
    const list = `conversations.${wanted.sort}`;
    return toPage(await query.getMany(), wanted.limit, last =>
      encodeCursor(list, [...keyOf(last, wanted.sort), last.id]),
    );
  }
}

function keyOf(last: Conversation, sort: Sort): string[] {
  const { column } = ORDERS[sort];
  return column === null ? [] : [last[column]?.toISOString() ?? ''];
}

function arrange(query: Query, { sort, limit, cursor }: InboxQuery): void {
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

/** A time as rows have it, and therefore one that the database can read. */
function isRowTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-/.test(value) || Number.isNaN(Date.parse(value))) return false;
  return new Date(value).toISOString() === value;
}

function filter(query: Query, wanted: InboxQuery): void {
  const equal = (column: string, value: unknown) => {
    if (value !== undefined) query.andWhere(`conversation.${column} = :${column}`, { [column]: value });
  };
  equal('status', wanted.status);
  equal('channelId', wanted.channelId);
  equal('contactId', wanted.contactId);
  equal('priority', wanted.priority);
  if (wanted.assigneeId === null) query.andWhere('conversation.assigneeId IS NULL');
  else equal('assigneeId', wanted.assigneeId);
  if (wanted.tag !== undefined) query.andWhere(':tag = ANY(conversation.tags)', { tag: wanted.tag });
  if (wanted.updatedSince) query.andWhere('conversation.updatedAt >= :since', { since: wanted.updatedSince });
  if (wanted.query !== undefined) search(query, wanted.query);
}

/** Over the contact's name and e-mail, and the conversation's number, with or without its `#`. */
function search(query: Query, text: string): void {
  const number = /^#?(\d{1,9})$/.exec(text.trim())?.[1];
  const byContact = `EXISTS (
    SELECT 1 FROM contact WHERE contact.workspace_id = conversation.workspace_id
      AND contact.id = conversation.contact_id AND (contact.name ILIKE :pattern OR contact.email ILIKE :pattern))`;
  const byNumber = number === undefined ? '' : ' OR conversation.number = :number';
  query.andWhere(`(${byContact}${byNumber})`, { pattern: likePattern(text), number: Number(number) });
}
