import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { covers } from '../../kernel/channel-scope.js';
import { Fanout } from '../../platform/fanout/fanout.js';
import type { SocketConnection } from '../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import type { NotificationNotice } from '../notifications/index.js';
import { isNotificationNotice, NOTIFICATIONS_SUBJECT } from '../notifications/index.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import { topics } from './topics.js';

/** Sends changes of a member's notifications to its open sockets, as far as their scope has the conversation. */
@Injectable()
export class NotificationFramesService implements OnApplicationBootstrap, OnApplicationShutdown {
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly hub: SocketHub,
    private readonly fanout: Fanout,
  ) {}

  onApplicationBootstrap(): void {
    this.unsubscribe = this.fanout.subscribe(NOTIFICATIONS_SUBJECT, isNotificationNotice, notice =>
      this.deliver(notice),
    );
  }

  onApplicationShutdown(): void {
    this.unsubscribe();
  }

  private deliver(notice: NotificationNotice): void {
    const audience = [topics.member(notice.memberId)];
    if (notice.type === 'read') {
      this.hub.broadcast(audience, ephemeralFrame('notification.read', { ids: notice.ids }), { ephemeral: true });
      return;
    }
    const { notification, channelId } = notice;
    this.hub.broadcast(audience, ephemeralFrame('notification.created', { notification }), {
      ephemeral: true,
      except: connection => !canSee(connection, channelId),
    });
  }
}

function canSee({ principal }: SocketConnection, channelId: string): boolean {
  return principal.kind === 'agent' && covers(principal.scope, channelId);
}
