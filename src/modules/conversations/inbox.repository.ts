import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { CursorPart, Page } from '../../kernel/page.js';
import { decodeCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { likePattern } from '../../platform/database/like.js';
import type { ConversationEntity } from './conversation.entity.js';
import type { Conversation } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import type { InboxQuery, Sort } from './inbox.js';

type Query = SelectQueryBuilder<ConversationEntity>;

/** Each order: its column, its direction, and how the last row becomes a cursor. The id settles ties. */
const ORDERS: Record<Sort, { column: string; direction: 'ASC' | 'DESC'; key: (last: Conversation) => CursorPart }> = {
  last_activity: { column: 'lastActivityAt', direction: 'DESC', key: last => last.lastActivityAt.toISOString() },
  created: { column: 'createdAt', direction: 'DESC', key: last => last.createdAt.toISOString() },
  waiting: { column: 'waitingSince', direction: 'ASC', key: last => last.waitingSince?.toISOString() ?? null },
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
      encodeCursor(list, [ORDERS[wanted.sort].key(last), last.id]),
    );
  }
}

function arrange(query: Query, { sort, limit, cursor }: InboxQuery): void {
  const { column, direction } = ORDERS[sort];
  const property = `conversation.${column}`;
  if (sort === 'waiting') query.andWhere(`${property} IS NOT NULL`);
  if (cursor !== undefined) {
    const [at, id] = decodeCursor(`conversations.${sort}`, cursor, 2);
    if (typeof at !== 'string' || Number.isNaN(Date.parse(at)) || !isId(id)) throw new CursorInvalid();
    const past = direction === 'DESC' ? '<' : '>';
    query.andWhere(`(${property}, conversation.id) ${past} (:cursorAt, :cursorId)`, {
      cursorAt: new Date(at),
      cursorId: id,
    });
  }
  query
    .orderBy(property, direction)
    .addOrderBy('conversation.id', direction)
    .limit(limit + 1);
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
