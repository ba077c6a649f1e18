import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { MailQueueService } from '../../platform/mail/mail-queue.service.js';
import type { ParticipantKey } from '../conversations/index.js';
import { ParticipantsService } from '../conversations/index.js';
import type { NotificationSettings } from '../members/index.js';
import { MembersService } from '../members/index.js';
import type { Reason } from './log-acts.js';
import type { Notification } from './notification.js';
import { NotificationMailsRepository } from './notification-mails.repository.js';
import { NotificationNoticesService } from './notification-notices.service.js';
import type { UnsentNote } from './notifications.repository.js';
import { NotificationsRepository } from './notifications.repository.js';
import type { Reply } from './replies.repository.js';

/** Writes notifications in the current unit of work. */
@Injectable()
export class NotificationWritesService {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly mails: NotificationMailsRepository,
    private readonly notices: NotificationNoticesService,
    private readonly members: MembersService,
    private readonly participants: ParticipantsService,
    private readonly mailQueue: MailQueueService,
    private readonly clock: Clock,
  ) {}

  /** Marks the earlier notifications of members who have written as read. */
  async readAnswered(writers: readonly ParticipantKey[]): Promise<void> {
    this.notices.publishRead(await this.notifications.readAnswered(writers, this.clock.now()));
  }

  /** Marks the member's notifications of messages up to a `seq`, and of assignments, as read. @returns those */
  async readLookedAt(look: ParticipantKey, seq: number): Promise<Notification[]> {
    const read = await this.notifications.readLookedAt(look, seq, this.clock.now());
    this.notices.publishRead(read);
    return read;
  }

  /** Notifies of the first reply to each member. @param replies in order of `seq` */
  async notifyOfReplies(replies: readonly Reply[]): Promise<void> {
    const first = new Map(replies.toReversed().map(reply => [`${reply.memberId} ${reply.conversationId}`, reply]));
    const reasons = [...first.values()].map(({ contactId, ...reply }): Reason => {
      return { ...reply, type: 'replied', actor: { type: 'contact', id: contactId }, answered: false };
    });
    await this.write(reasons.map(reason => ({ reason, isRead: false })));
  }

  /** Notifies members. What a member has answered or looked at meanwhile is read from the beginning. */
  async notify(reasons: readonly Reason[]): Promise<void> {
    const looks = await this.participants.findLooks(reasons);
    const hasLooked = ({ memberId, conversationId, seq, at }: Reason) =>
      looks.some(look => {
        if (look.memberId !== memberId || look.conversationId !== conversationId) return false;
        return seq === null ? look.lookedAt !== null && look.lookedAt > at : look.lookedSeq >= seq;
      });
    await this.write(reasons.map(reason => ({ reason, isRead: reason.answered || hasLooked(reason) })));
  }

  async removeUnsent(notes: readonly UnsentNote[]): Promise<void> {
    this.notices.publishRead(await this.notifications.deleteUnsent(notes));
  }

  private async write(reasons: readonly { reason: Reason; isRead: boolean }[]): Promise<void> {
    if (reasons.length === 0) return;
    const recipients = reasons.map(({ reason: { workspaceId, memberId: id } }) => ({ workspaceId, id }));
    const found = await this.members.findNotificationSettings(recipients);
    const settings = new Map(found.map(member => [member.id, member.settings]));
    const now = this.clock.now();
    const requested = reasons
      .map(({ reason, isRead }) => this.toNotification(reason, settings.get(reason.memberId), isRead ? now : null, now))
      .filter(notification => notification.inApp || notification.mailDue);
    const added = await this.notifications.insertAll(requested);
    this.notices.publishCreated(added);
    await this.mails.schedule(
      added.filter(({ mailDue }) => mailDue),
      now,
    );
  }

  /** @param settings undefined if the member is deactivated, who is told of nothing */
  private toNotification(
    { workspaceId, memberId, type, channelId, conversationId, messageId, seq, actor }: Reason,
    settings: NotificationSettings | undefined,
    readAt: Date | null,
    createdAt: Date,
  ): Notification {
    const { app = false, email = false } = settings?.[type] ?? {};
    const about = { workspaceId, memberId, type, channelId, conversationId, messageId, seq, actor };
    const mailDue = email && readAt === null && this.mailQueue.delivers;
    return { id: newId(), ...about, inApp: app, mailDue, readAt, createdAt };
  }
}
