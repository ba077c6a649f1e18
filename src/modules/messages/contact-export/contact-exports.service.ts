import { Injectable } from '@nestjs/common';
import { systemOf } from '../../../kernel/principal.js';
import { AttachmentViewsService } from '../../attachments/index.js';
import type { Contact } from '../../contacts/index.js';
import type { Conversation } from '../../conversations/index.js';
import { ConversationsService } from '../../conversations/index.js';
import type { MessageRecord } from '../message.js';
import { toMessageRecord } from '../message.js';
import { MessagesRepository } from '../messages.repository.js';
import type { ExportedConversation } from './contact-export.js';
import { toExportedConversation } from './contact-export.js';

const MESSAGES_PER_PAGE = 200;

/** Reads the conversations and messages of a contact for export, one page at a time. */
@Injectable()
export class ContactExportsService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly messages: MessagesRepository,
    private readonly attachments: AttachmentViewsService,
  ) {}

  async *conversationsOf(contact: Contact): AsyncGenerator<ExportedConversation[]> {
    for await (const page of this.conversations.listByContact(contact)) yield page.map(toExportedConversation);
  }

  /** In order of conversation and `seq`, with the URLs of files. @param includeNotes also yields private notes */
  async *messagesOf(contact: Contact, includeNotes: boolean): AsyncGenerator<MessageRecord[]> {
    for await (const page of this.conversations.listByContact(contact)) {
      for (const conversation of page) yield* this.messagePages(conversation, includeNotes);
    }
  }

  private async *messagePages(conversation: Conversation, includeNotes: boolean): AsyncGenerator<MessageRecord[]> {
    const reader = systemOf(conversation.workspaceId);
    for (let afterSeq: number | undefined = 0; afterSeq !== undefined;) {
      const window = await this.messages.findWindow(reader, conversation, { afterSeq, limit: MESSAGES_PER_PAGE });
      yield window
        .filter(message => includeNotes || !message.private)
        .map(message => this.attachments.render(toMessageRecord(message)));
      afterSeq = window.length < MESSAGES_PER_PAGE ? undefined : window.at(-1)?.seq;
    }
  }
}
