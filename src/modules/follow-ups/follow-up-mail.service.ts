import { Injectable, OnModuleInit } from '@nestjs/common';
import { timeDisplay } from '../../kernel/display-time.js';
import { systemOf } from '../../kernel/principal.js';
import { MailComposerRegistry } from '../../platform/mail/mail-composer.registry.js';
import type { QueuedMail } from '../../platform/mail/mail-composer.registry.js';
import type { Mail } from '../../platform/mail/mailer.js';
import { ChannelsService } from '../channels/index.js';
import { ContactsService } from '../contacts/index.js';
import { ConversationsService } from '../conversations/index.js';
import { MessageHistoryService } from '../messages/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import { renderFollowUp } from './follow-up-mail.js';
import type { SeqRange } from './follow-up.js';
import { isFollowedUp, startPageOf } from './follow-up.js';
import { UnsubscribeLinksService } from './unsubscribe-links.service.js';

export const FOLLOW_UP_MAIL = 'follow_up';
/** Answers in one mail. More go into the next one. */
export const MAX_ANSWERS = 50;

/** Data of a queued follow-up: its messages and the token of its unsubscribe link. */
export interface FollowUpMailData extends SeqRange {
  token: string;
}

/** Composes follow-ups when they are sent, from what is unread then and to the contact's present address. */
@Injectable()
export class FollowUpMailService implements OnModuleInit {
  constructor(
    private readonly composers: MailComposerRegistry,
    private readonly workspaces: WorkspacesService,
    private readonly channels: ChannelsService,
    private readonly contacts: ContactsService,
    private readonly conversations: ConversationsService,
    private readonly history: MessageHistoryService,
    private readonly links: UnsubscribeLinksService,
  ) {}

  onModuleInit(): void {
    this.composers.add({ kind: FOLLOW_UP_MAIL, compose: queued => this.compose(queued) });
  }

  /** @returns null if everything was read or unsent meanwhile, or the contact gets no follow-ups any more */
  private async compose({ workspaceId, subjectId, data }: QueuedMail): Promise<Mail | null> {
    if (workspaceId === null) return null;
    const { after, upTo, token } = data as FollowUpMailData;
    const conversation = await this.conversations.find(systemOf(workspaceId), subjectId);
    const workspace = await this.workspaces.find(workspaceId);
    const channel = conversation && (await this.channels.find(workspaceId, conversation.channelId));
    const contact = conversation && (await this.contacts.find(workspaceId, conversation.contactId));
    if (!workspace || !channel || !contact || !isFollowedUp(conversation, channel, contact)) return null;
    const range = { after: Math.max(after, conversation.contactLastReadSeq), upTo };
    const answers = await this.history.findAnswers(conversation, range, MAX_ANSWERS);
    if (answers.length === 0 || contact.email === null) return null;
    return renderFollowUp({
      to: contact.email,
      desk: workspace.name,
      answers,
      times: timeDisplay([contact.locale, workspace.locale], contact.timezone ?? workspace.timezone),
      page: startPageOf(conversation, channel),
      replyEmail: channel.replyEmail,
      unsubscribeUrl: await this.links.add(token, contact, contact.email),
    });
  }
}
