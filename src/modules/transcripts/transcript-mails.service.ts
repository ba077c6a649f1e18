import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import type { Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { systemOf } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { MailComposerRegistry } from '../../platform/mail/mail-composer.registry.js';
import type { QueuedMail } from '../../platform/mail/mail-composer.registry.js';
import { MailQueueService } from '../../platform/mail/mail-queue.service.js';
import type { Mail } from '../../platform/mail/mailer.js';
import { ChannelsService, FeatureDisabled } from '../channels/index.js';
import { ContactsService, EmailMissing } from '../contacts/index.js';
import type { Conversation } from '../conversations/index.js';
import { ConversationErased, ConversationsService } from '../conversations/index.js';
import { MessageHistoryService } from '../messages/index.js';
import { renderTranscriptMail } from './transcript-mail.js';
import { MailDisabled, TranscriptNotReady } from './transcripts.errors.js';
import './transcripts.events.js';
import { TranscriptsService } from './transcripts.service.js';

const KIND = 'transcript';

/** Data of a queued transcript: the address that staff has named; null for the contact's own. */
interface TranscriptMailData {
  email: string | null;
}

/** Mails transcripts, always as the visitor sees the conversation. */
@Injectable()
export class TranscriptMailsService implements OnModuleInit {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly limiter: RateLimitService,
    private readonly mails: MailQueueService,
    private readonly composers: MailComposerRegistry,
    private readonly channels: ChannelsService,
    private readonly contacts: ContactsService,
    private readonly conversations: ConversationsService,
    private readonly history: MessageHistoryService,
    private readonly transcripts: TranscriptsService,
  ) {}

  onModuleInit(): void {
    this.composers.add({ kind: KIND, compose: queued => this.compose(queued) });
  }

  /**
   * Mails the transcript to the visitor's own address.
   * @throws NotFound, ConversationErased, FeatureDisabled, MailDisabled, EmailMissing, TranscriptNotReady, RateLimited
   */
  async mailToContact(principal: VisitorPrincipal, id: string): Promise<void> {
    const conversation = await this.getMailable(principal, id, async () => {
      const channel = await this.channels.find(principal.workspaceId, principal.channelId);
      if (!channel?.widgetConfig.features.transcript) throw new FeatureDisabled();
    });
    const { email } = await this.contacts.get(principal, principal.contactId);
    if (email === null) throw new EmailMissing();
    if (!(await this.history.hasPublicMessage(conversation, ['agent']))) throw new TranscriptNotReady();
    await this.consumeRates(principal, email);
    await this.queue(principal, id, { email: null });
  }

  /** Mails the transcript to an address that the caller names. @throws NotFound, ConversationErased, MailDisabled, RateLimited */
  async mailTo(principal: StaffPrincipal, id: string, email: string): Promise<void> {
    const conversation = await this.getMailable(principal, id);
    await this.consumeRates(principal, email);
    const contact = await this.contacts.find(conversation.workspaceId, conversation.contactId);
    await this.units.run(async () => {
      await this.queue(principal, id, { email });
      await this.events.record({
        type: 'transcript.mailed',
        workspaceId: principal.workspaceId,
        actor: actorOf(principal),
        payload: { id, number: conversation.number, to_contact: contact?.email === email },
      });
    });
  }

  private async getMailable(
    principal: Principal,
    id: string,
    assertOffered: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Conversation> {
    const conversation = await this.conversations.get(principal, id);
    if (conversation.erasedAt) throw new ConversationErased();
    await assertOffered();
    if (!this.mails.delivers) throw new MailDisabled();
    return conversation;
  }

  /** An address counts over all workspaces, because its owner has one mailbox. */
  private async consumeRates({ workspaceId }: Principal, email: string): Promise<void> {
    await this.limiter.consume('transcript_address', email);
    await this.limiter.consume('transcript_address_day', email);
    await this.limiter.consume('transcript_workspace', workspaceId);
  }

  private async queue(principal: Principal, id: string, data: TranscriptMailData): Promise<void> {
    await this.units.run(
      async () => {
        const conversation = await this.conversations.lock(principal, id);
        if (conversation.erasedAt) throw new ConversationErased();
        const { workspaceId } = conversation;
        await this.mails.add({ workspaceId, kind: KIND, subjectId: id, data, replacesEarlier: false });
      },
      { row: id },
    );
  }

  /** @returns null if the contact was erased, or was blocked or lost its address after it asked */
  private async compose({ workspaceId, subjectId, data }: QueuedMail): Promise<Mail | null> {
    if (workspaceId === null) return null;
    const conversation = await this.conversations.find(systemOf(workspaceId), subjectId);
    if (!conversation || conversation.erasedAt) return null;
    const contact = await this.contacts.find(workspaceId, conversation.contactId);
    const asked = (data as TranscriptMailData).email;
    const to = asked ?? (contact?.blocked === false ? contact.email : null);
    return to === null ? null : { to, ...renderTranscriptMail(await this.transcripts.write(conversation, 'visitor')) };
  }
}
