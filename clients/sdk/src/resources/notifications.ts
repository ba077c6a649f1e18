import type { AuthorizedApi } from '../authorized-api.js';
import type { ListNotificationsQuery, ReadNotificationsBody } from '../bodies.js';
import type { NotificationPageView, UnreadNotificationsView } from '../types.js';

/** The member's own notifications. Read the list after `connected`; `notification.created` and `.read` follow. */
export class Notifications {
  constructor(private readonly api: AuthorizedApi) {}

  /** Newest first, with the number of unread ones, which stops at 100. */
  list(query?: ListNotificationsQuery): Promise<NotificationPageView> {
    return this.api.get('/v1/notifications', query);
  }

  /** Marks some as read, or all that the session can see. */
  read(body: ReadNotificationsBody): Promise<UnreadNotificationsView> {
    return this.api.post('/v1/notifications/read', body);
  }
}
