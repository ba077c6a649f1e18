import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Page } from '../../kernel/page.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ParticipantsService } from '../conversations/index.js';
import type { Notification } from './notification.js';
import { NotificationNoticesService } from './notification-notices.service.js';
import type { NotificationsQuery } from './notifications.repository.js';
import { NotificationsRepository } from './notifications.repository.js';

/** A member's own notifications. Reading one counts as a look at its conversation. */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly notifications: NotificationsRepository,
    private readonly notices: NotificationNoticesService,
    private readonly participants: ParticipantsService,
    private readonly clock: Clock,
  ) {}

  list(principal: AgentPrincipal, query: NotificationsQuery): Promise<Page<Notification>> {
    return this.notifications.findPage(principal, query);
  }

  /** Counting stops at 100. */
  countUnread(principal: AgentPrincipal): Promise<number> {
    return this.notifications.countUnread(principal);
  }

  /** @returns false if one of the ids is not of the caller's notifications; then none is read */
  read(principal: AgentPrincipal, ids: readonly string[]): Promise<boolean> {
    return this.units.run(async () => {
      const found = await this.notifications.findOwn(principal, ids);
      if (found.length < ids.length) return false;
      const looked = found.map(({ conversationId, seq }) => ({ conversationId, seq: seq ?? 0 }));
      await this.participants.lookAtAll(principal, latest(looked));
      this.notices.publishRead(await this.notifications.read(principal, ids, this.clock.now()));
      return true;
    });
  }

  /** Reads all that the session can see. Those that are made meanwhile stay unread. */
  readAll(principal: AgentPrincipal): Promise<void> {
    return this.units.run(async () => {
      const marks = await this.notifications.findMarks(principal);
      const newestId = marks
        .map(mark => mark.newestId)
        .sort()
        .at(-1);
      if (newestId === undefined) return;
      await this.participants.lookAtAll(principal, marks);
      this.notices.publishRead(await this.notifications.readUpTo(principal, newestId, this.clock.now()));
    });
  }
}

/** The last `seq` of each conversation. */
function latest(looked: readonly { conversationId: string; seq: number }[]): { conversationId: string; seq: number }[] {
  const seqs = new Map<string, number>();
  for (const { conversationId, seq } of looked) seqs.set(conversationId, Math.max(seq, seqs.get(conversationId) ?? 0));
  return [...seqs].map(([conversationId, seq]) => ({ conversationId, seq }));
}
