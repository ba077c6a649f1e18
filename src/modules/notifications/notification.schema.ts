import type { Actor } from '../../kernel/domain-event.js';
import { Embedded } from '../../platform/schemas/answer-fields.js';
import { Choice, Flag, Id, Ids, Integer, NestedList, Text, Time } from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import type { NotificationType } from '../members/index.js';
import { NOTIFICATION_TYPES } from '../members/index.js';
import type { NotificationRecord } from './notification.js';

const optional = true;
const nullable = true;

export class ListNotificationsQuery extends PageQuery {
  @Choice(['true', 'false'], { optional, description: 'Only unread notifications.' }) unread?: 'true' | 'false';
}

export class ReadNotificationsBody {
  @Ids({ optional, maxItems: 200, description: "Ids of the caller's notifications. Read ones stay as they are." })
  ids?: string[];
  @Flag({ optional, description: 'All notifications that the session can see. Send this or `ids`.' }) all?: boolean;
}

export class NotificationView implements NotificationRecord {
  @Id() id!: string;
  @Choice(NOTIFICATION_TYPES, {
    description:
      '`assigned`: the conversation was assigned to the member. `mentioned`: a note mentions it. `replied`: the contact wrote for the first time since the member looked.',
  })
  type!: NotificationType;
  @Id() conversation_id!: string;
  @Id({ nullable, description: 'The note or message; null for an assignment.' }) message_id!: string | null;
  @Embedded('ActorView') actor!: Actor;
  @Time({ nullable }) read_at!: string | null;
  @Time() created_at!: string;
}

export class UnreadNotificationsView {
  @Integer({ max: 100, description: 'Counting stops at 100.' }) unread_count!: number;
}

export class NotificationPageView extends UnreadNotificationsView {
  @NestedList(() => NotificationView) items!: NotificationView[];
  @Text({ nullable, max: 1000, example: 'WyJub3RpZmljYXRpb25zIl0' }) next_cursor!: string | null;
}
