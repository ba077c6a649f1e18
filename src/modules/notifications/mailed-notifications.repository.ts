import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { isInChannels } from '../../platform/database/visibility.js';
import type { Member, NotificationType } from '../members/index.js';

/** Unread notifications of a member, if its scope can see them now and nothing of them was unsent or erased. */
const UNREAD = statement(`
  SELECT notification.type, notification.conversation_id AS "conversationId", conversation.number,
         CASE notification.actor ->> 'type'
           WHEN 'member' THEN (SELECT name FROM member WHERE workspace_id = $1 AND id = (notification.actor ->> 'id')::uuid)
           WHEN 'contact' THEN (SELECT name FROM contact WHERE workspace_id = $1 AND id = conversation.contact_id)
           WHEN 'bot' THEN (SELECT name FROM bot WHERE workspace_id = $1 AND id = (notification.actor ->> 'id')::uuid)
         END AS "actorName"
  FROM notification JOIN conversation
    ON conversation.workspace_id = notification.workspace_id AND conversation.id = notification.conversation_id
  WHERE notification.workspace_id = $1 AND notification.member_id = $2 AND notification.id = ANY($4::uuid[])
    AND notification.read_at IS NULL AND conversation.erased_at IS NULL
    AND ${isInChannels('notification.channel_id', '$3::uuid[]')}
    AND (notification.message_id IS NULL OR EXISTS (
      SELECT FROM message WHERE message.workspace_id = $1 AND message.id = notification.message_id
        AND message.deleted_at IS NULL))
  ORDER BY notification.id`);

/** A notification as its mail shows it. */
export interface MailedNotification {
  type: NotificationType;
  conversationId: string;
  number: number;
  actorName: string | null;
}

@Injectable()
export class MailedNotificationsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Oldest first. */
  findUnread({ workspaceId, id, channelIds }: Member, ids: readonly string[]): Promise<MailedNotification[]> {
    return this.sql.rows<MailedNotification>(UNREAD, [workspaceId, id, channelIds, ids]);
  }
}
