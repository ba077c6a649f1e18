import { Injectable } from '@nestjs/common';
import { systemOf } from '../../kernel/principal.js';
import type { Contact } from '../contacts/index.js';
import type { Conversation, ExportedConversation } from './conversation.js';
import { toExportedConversation } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import type { MessageRecord } from './messages/message.js';
import { toMessageRecord } from './messages/message.js';
import { MessagesRepository } from './messages/messages.repository.js';

const CONVERSATIONS = 100;
const MESSAGES = 200;

/** What was said with a person, for it to have: a page at a time, however much it is. */
@Injectable()
export class ContactExportsService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
  ) {}

  async *conversationsOf(contact: Contact): AsyncGenerator<ExportedConversation[]> {
    for await (const page of this.pages(contact)) yield page.map(toExportedConversation);
  }

  /** In order of conversation and `seq`. @param withNotes also what agents have said of it among themselves */
  async *messagesOf(contact: Contact, withNotes: boolean): AsyncGenerator<MessageRecord[]> {
    for await (const page of this.pages(contact)) {
      for (const conversation of page) yield* this.said(conversation, withNotes);
    }
  }

  private async *said(conversation: Conversation, withNotes: boolean): AsyncGenerator<MessageRecord[]> {
    const reader = systemOf(conversation.workspaceId);
    for (let afterSeq: number | undefined = 0; afterSeq !== undefined;) {
      const window = await this.messages.window(reader, conversation, { afterSeq, limit: MESSAGES });
      yield window.filter(message => withNotes || !message.private).map(toMessageRecord);
      afterSeq = window.length < MESSAGES ? undefined : window.at(-1)?.seq;
    }
  }

  private async *pages({ workspaceId, id }: Contact): AsyncGenerator<Conversation[]> {
    for (let after: string | null | undefined = null; after !== undefined;) {
      const page: Conversation[] = await this.conversations.pageOf(workspaceId, id, after, CONVERSATIONS);
      yield page;
      after = page.length < CONVERSATIONS ? undefined : page.at(-1)?.id;
    }
  }
}
