import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { StaffPrincipal } from '../../kernel/principal.js';
import type { ContactRecord } from '../contacts/index.js';
import { ContactsService, toContactRecord, visibleRecord } from '../contacts/index.js';
import type { ConversationWithContact } from '../conversations/index.js';
import { InboxService } from '../conversations/index.js';
import type { MessageRecord } from '../messages/index.js';
import { MessageHistoryService } from '../messages/index.js';
import type { FoundItem } from './found-items.js';
import { contactFields, conversationFields, messageFields, toFoundMessage } from './found-items.js';
import type { Candidate } from './search-document.js';
import type { SearchRequest } from './search-request.js';
import { highlight } from './text/matches.js';

/** Characters that are compared before other requests have their turn: some milliseconds. */
const COMPARED_AT_ONCE = 40_000;

/** The rows of some candidates that the caller may see. */
interface LiveRows {
  messages: Map<string, MessageRecord>;
  conversations: Map<string, ConversationWithContact>;
  contacts: Map<string, ContactRecord>;
}

/**
 * Reads hits again from their own rows, with the scope of the caller, and compares them with the query. So the index never
 * decides what is shown.
 */
@Injectable()
export class FoundItemsService {
  constructor(
    private readonly messages: MessageHistoryService,
    private readonly inbox: InboxService,
    private readonly contacts: ContactsService,
  ) {}

  /** @returns one item for each candidate; null if the caller may not see it, or it does not match any more */
  async read(
    principal: StaffPrincipal,
    request: SearchRequest,
    candidates: readonly Candidate[],
  ): Promise<(FoundItem | null)[]> {
    const rows = await this.readRows(principal, request, candidates);
    const items: (FoundItem | null)[] = [];
    let compared = 0;
    for (const candidate of candidates) {
      compared += rows.messages.get(candidate.id)?.content?.length ?? 0;
      // a page of the longest messages must not delay other requests
      if (compared > COMPARED_AT_ONCE) {
        compared = 0;
        await nextTurn();
      }
      items.push(toItem(candidate, rows, request));
    }
    return items;
  }

  private async readRows(
    principal: StaffPrincipal,
    { channelId }: SearchRequest,
    candidates: readonly Candidate[],
  ): Promise<LiveRows> {
    const idsOf = (type: string) => candidates.filter(candidate => candidate.type === type).map(({ id }) => id);
    const [messages, contacts] = await Promise.all([
      this.messages.findVisible(principal, idsOf('message')),
      this.contacts.findAllVisible(principal, idsOf('contact'), channelId),
    ]);
    const ids = [...messages.map(({ conversation_id }) => conversation_id), ...idsOf('conversation')];
    const conversations = await this.inbox.findVisible(principal, [...new Set(ids)]);
    return {
      messages: byId(messages),
      conversations: byId(conversations),
      contacts: byId(contacts.map(contact => visibleRecord(principal, toContactRecord(contact)))),
    };
  }
}

function toItem({ type, id }: Candidate, rows: LiveRows, { query, channelId }: SearchRequest): FoundItem | null {
  if (type === 'contact') {
    const contact = rows.contacts.get(id);
    const highlights = contact && highlight(query, contactFields(contact));
    return highlights ? { type, conversation: null, contact, highlights } : null;
  }
  const message = rows.messages.get(id);
  const conversation = rows.conversations.get(message?.conversation_id ?? id);
  if (!conversation || (channelId !== undefined && conversation.channel_id !== channelId)) return null;
  const highlights = highlight(query, message ? messageFields(message) : conversationFields(conversation));
  if (!highlights) return null;
  return message ? toFoundMessage(message, conversation, highlights) : { type, conversation, highlights };
}

function byId<T extends { id: string }>(rows: readonly T[]): Map<string, T> {
  return new Map(rows.map(row => [row.id, row]));
}
