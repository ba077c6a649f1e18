import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Fanout } from '../../platform/fanout/fanout.js';
import type { Notification } from './notification.js';
import { createdNotice, NOTIFICATIONS_SUBJECT, readNotices } from './notification-notice.js';

/** Tells the sockets of members on every instance once the current unit of work has committed. */
@Injectable()
export class NotificationNoticesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly fanout: Fanout,
  ) {}

  publishCreated(notifications: readonly Notification[]): void {
    this.publish(notifications.filter(({ inApp, readAt }) => inApp && readAt === null).map(createdNotice));
  }

  publishRead(notifications: readonly Notification[]): void {
    this.publish(readNotices(notifications));
  }

  private publish(notices: readonly object[]): void {
    if (notices.length === 0) return;
    this.units.afterCommit(() => {
      for (const notice of notices) this.fanout.publish(NOTIFICATIONS_SUBJECT, notice);
    });
  }
}
