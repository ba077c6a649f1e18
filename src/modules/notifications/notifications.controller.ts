import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CursorInvalid } from '../../kernel/errors.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { Answers, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { toPageView } from '../../platform/schemas/page.schema.js';
import { invalidField } from '../../platform/schemas/validation.js';
import {
  ListNotificationsQuery,
  NotificationPageView,
  ReadNotificationsBody,
  UnreadNotificationsView,
} from './notification.schema.js';
import { toNotificationRecord } from './notification.js';
import { NotificationsService } from './notifications.service.js';

@Section(
  'Notifications',
  "A member's own notifications: of assignments, of notes that mention it, and of contacts who reply. Nobody is notified of its own acts. A member looks at a conversation with `POST /v1/conversations/{id}/read`, by writing in it, or by reading its notification; this marks the notifications of what it has seen as read. Sockets get `notification.created` and `notification.read`, which are not replayed: read the list after `connected`.",
)
@Controller('notifications')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Get()
  @Summary(
    "List the caller's notifications, newest first.",
    'Only those of conversations that the session can see now. `unread_count` stops at 100.',
  )
  @Allow('session:read', { only: 'agent' })
  @Answers(NotificationPageView)
  @Throws(CursorInvalid)
  async list(@Caller() caller: AgentPrincipal, @Query() query: ListNotificationsQuery): Promise<NotificationPageView> {
    const { limit, cursor, unread } = query;
    const page = await this.notifications.list(caller, { limit, cursor, unread: unread === 'true' });
    return { ...toPageView(page, toNotificationRecord), unread_count: await this.notifications.countUnread(caller) };
  }

  @Post('read')
  @Summary('Mark notifications as read.', 'Send `ids`, or `all: true`. Returns 400 for an id of no such notification.')
  @Allow('session:write', { only: 'agent' })
  @Answers(UnreadNotificationsView)
  async read(
    @Caller() caller: AgentPrincipal,
    @Body() { ids, all = false }: ReadNotificationsBody,
  ): Promise<UnreadNotificationsView> {
    if (ids === undefined ? !all : all) invalidField('ids', 'required', 'send `ids`, or `all: true`');
    if (ids === undefined) await this.notifications.readAll(caller);
    else if (!(await this.notifications.read(caller, ids)))
      invalidField('ids', 'unknown', "must be ids of the caller's notifications");
    return { unread_count: await this.notifications.countUnread(caller) };
  }
}
