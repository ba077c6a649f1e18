import { Injectable } from '@nestjs/common';
import { systemOf } from '../../kernel/principal.js';
import { randomToken } from '../../kernel/secret.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { MailQueueService } from '../../platform/mail/mail-queue.service.js';
import { ChannelsService } from '../channels/index.js';
import { ContactPresenceService, ContactsService } from '../contacts/index.js';
import type { Conversation } from '../conversations/index.js';
import { ConversationsService } from '../conversations/index.js';
import { MessageHistoryService } from '../messages/index.js';
import type { FollowUpMailData } from './follow-up-mail.service.js';
import { FOLLOW_UP_MAIL, MAX_ANSWERS } from './follow-up-mail.service.js';
import { dueAfter, isFollowedUp, recheckAt } from './follow-up.js';
import type { FollowUpState } from './follow-ups.repository.js';
import { FollowUpsRepository } from './follow-ups.repository.js';

/** Queues a mail with the unread answers of a conversation when the first of them is due. */
@Injectable()
export class FollowUpWorker extends DueWorker<DueRow> {
  protected readonly name = 'follow_ups';

  constructor(
    dependencies: WorkerDependencies,
    private readonly followUps: FollowUpsRepository,
    private readonly conversations: ConversationsService,
    private readonly channels: ChannelsService,
    private readonly contacts: ContactsService,
    private readonly presence: ContactPresenceService,
    private readonly history: MessageHistoryService,
    private readonly mails: MailQueueService,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<DueRow[]> {
    return this.followUps.findDue(query);
  }

  protected work(row: DueRow, now: Date): Promise<boolean> {
    return this.transaction(async () => {
      const state = await this.followUps.tryLock(row);
      if (!state) return false;
      if (state.dueAt === null || state.dueAt > now) return true;
      const conversation = await this.conversations.find(systemOf(row.workspaceId), row.id);
      const { mailedSeq } = state;
      const next = conversation && (await this.followUp(conversation, mailedSeq, now));
      await this.followUps.save(row, next ?? { dueAt: null, mailedSeq });
      return true;
    });
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.followUps.measure(now);
  }

  /** @returns null if the conversation needs no look before the next answer */
  private async followUp(conversation: Conversation, mailedSeq: number, now: Date): Promise<FollowUpState | null> {
    const { workspaceId, channelId, contactId } = conversation;
    const channel = await this.channels.find(workspaceId, channelId);
    const contact = await this.contacts.find(workspaceId, contactId);
    if (!channel || !contact || !this.mails.delivers || !isFollowedUp(conversation, channel, contact)) return null;
    const range = { after: Math.max(mailedSeq, conversation.contactLastReadSeq), upTo: conversation.lastSeq };
    const answers = await this.history.findAnswers(conversation, range, MAX_ANSWERS);
    const [first] = answers;
    if (!first) return null;
    const due = dueAfter(new Date(first.created_at), channel);
    if (due > now) return { dueAt: due, mailedSeq };
    if (this.presence.isOnline(workspaceId, contactId)) return { dueAt: recheckAt(now, channel), mailedSeq };
    const upTo = answers.at(-1)?.seq ?? first.seq;
    await this.queueMail(conversation, { after: range.after, upTo, token: randomToken('uns_') });
    return { dueAt: answers.length === MAX_ANSWERS ? now : null, mailedSeq: upTo };
  }

  /** An earlier mail that waits for the mail server stays: its messages are in no other one. */
  private async queueMail({ workspaceId, id }: Conversation, data: FollowUpMailData): Promise<void> {
    await this.mails.add({ workspaceId, kind: FOLLOW_UP_MAIL, subjectId: id, data, replacesEarlier: false });
  }
}
