import { Injectable } from '@nestjs/common';
import type { ContactSummary } from '../contacts/index.js';
import { ContactsService, toContactSummary } from '../contacts/index.js';
import { MembersService } from '../members/index.js';
import type { Conversation, ConversationRecord } from './conversation.js';
import { toConversationRecord } from './conversation.js';
import type { VisitorConversationRecord } from './visitor-conversation.js';
import { toVisitorConversationRecord } from './visitor-conversation.js';

export type ConversationWithContact = ConversationRecord & { contact: ContactSummary };

/** Adds contacts and assignees to conversations. The inbox builds the same view in SQL (`inbox.repository.ts`). */
@Injectable()
export class ConversationViewsService {
  constructor(
    private readonly contacts: ContactsService,
    private readonly members: MembersService,
  ) {}

  async toStaffView(conversation: Conversation): Promise<ConversationWithContact> {
    const contact = await this.contacts.find(conversation.workspaceId, conversation.contactId);
    if (!contact) throw new Error(`conversation ${conversation.id} has no contact`);
    return { ...toConversationRecord(conversation), contact: toContactSummary(contact) };
  }

  async toVisitorViews(conversations: readonly Conversation[]): Promise<VisitorConversationRecord[]> {
    const [first] = conversations;
    if (!first) return [];
    const assignees = conversations.map(({ assigneeId }) => assigneeId).filter(id => id !== null);
    const displays = await this.members.findDisplays(first.workspaceId, assignees);
    return conversations.map(conversation =>
      toVisitorConversationRecord(conversation, displays.get(conversation.assigneeId ?? '') ?? null),
    );
  }

  async toVisitorView(conversation: Conversation): Promise<VisitorConversationRecord> {
    const [view] = await this.toVisitorViews([conversation]);
    if (!view) throw new Error(`conversation ${conversation.id} has no view`);
    return view;
  }
}
