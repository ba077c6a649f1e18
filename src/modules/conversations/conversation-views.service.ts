import { Injectable } from '@nestjs/common';
import type { ContactSummary } from '../contacts/index.js';
import { ContactsService, toContactSummary } from '../contacts/index.js';
import { MembersService } from '../members/index.js';
import type { Conversation, ConversationRecord, VisitorConversationRecord } from './conversation.js';
import { toConversationRecord, toVisitorConversationRecord } from './conversation.js';

export type ConversationWithContact = ConversationRecord & { contact: ContactSummary };

/** Conversations with whom they are with: one look-up for a whole page. */
@Injectable()
export class ConversationViews {
  constructor(
    private readonly contacts: ContactsService,
    private readonly members: MembersService,
  ) {}

  async forStaff(conversations: readonly Conversation[]): Promise<ConversationWithContact[]> {
    const [first] = conversations;
    if (!first) return [];
    const ids = [...new Set(conversations.map(({ contactId }) => contactId))];
    const contacts = await this.contacts.findMany(first.workspaceId, ids);
    const summaries = new Map(contacts.map(contact => [contact.id, toContactSummary(contact)]));
    return conversations.map(conversation => {
      const contact = summaries.get(conversation.contactId);
      if (!contact) throw new Error(`conversation ${conversation.id} has no contact`);
      return { ...toConversationRecord(conversation), contact };
    });
  }

  async oneForStaff(conversation: Conversation): Promise<ConversationWithContact> {
    const [view] = await this.forStaff([conversation]);
    if (!view) throw new Error('one conversation makes one view');
    return view;
  }

  async forVisitor(conversations: readonly Conversation[]): Promise<VisitorConversationRecord[]> {
    const [first] = conversations;
    if (!first) return [];
    const assignees = conversations.map(({ assigneeId }) => assigneeId).filter(id => id !== null);
    const displays = await this.members.displays(first.workspaceId, assignees);
    return conversations.map(conversation =>
      toVisitorConversationRecord(conversation, displays.get(conversation.assigneeId ?? '') ?? null),
    );
  }

  async oneForVisitor(conversation: Conversation): Promise<VisitorConversationRecord> {
    const [view] = await this.forVisitor([conversation]);
    if (!view) throw new Error('one conversation makes one view');
    return view;
  }
}
