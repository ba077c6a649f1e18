import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../../kernel/principal.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { isInChannels } from '../../platform/database/visibility.js';
import type { ErasedSubject, Slice } from '../../platform/erasure/erasure-step.registry.js';
import type { ParticipantKey } from '../conversations/index.js';
import type { Notification } from './notification.js';

/** Counting of unread notifications stops here. */
const MAX_COUNT = 100;
const LIST = 'notifications';

const COLUMNS = `notification.id, notification.workspace_id AS "workspaceId", notification.member_id AS "memberId",
  notification.type, notification.channel_id AS "channelId", notification.conversation_id AS "conversationId",
  notification.message_id AS "messageId", notification.seq, notification.actor, notification.in_app AS "inApp",
  notification.mail_due AS "mailDue", notification.read_at AS "readAt", notification.created_at AS "createdAt"`;
const IS_THERE = `EXISTS (
    SELECT FROM conversation WHERE conversation.workspace_id = notification.workspace_id
      AND conversation.id = notification.conversation_id AND conversation.erased_at IS NULL)
  AND (notification.message_id IS NULL OR EXISTS (
    SELECT FROM message WHERE message.workspace_id = notification.workspace_id
      AND message.id = notification.message_id AND message.deleted_at IS NULL))`;
/** SQL of a member's notifications ($1, $2) that a scope ($3) can see now. */
const IS_OWN = `notification.workspace_id = $1 AND notification.member_id = $2
  AND ${isInChannels('notification.channel_id', '$3::uuid[]')}`;
const IS_SHOWN = `${IS_OWN} AND notification.in_app AND ${IS_THERE}`;

const page = (isUnread: string) =>
  statement(`
  SELECT ${COLUMNS} FROM notification
  WHERE ${IS_SHOWN} AND ($4::uuid IS NULL OR notification.id < $4) ${isUnread}
  ORDER BY notification.id DESC LIMIT $5`);
const PAGE = page('');
const UNREAD_PAGE = page('AND notification.read_at IS NULL');
const COUNT_UNREAD = statement(`
  SELECT count(*)::int AS count FROM (
    SELECT FROM notification WHERE ${IS_SHOWN} AND notification.read_at IS NULL LIMIT ${MAX_COUNT}
  ) AS unread`);
const FIND_OWN = statement(`SELECT ${COLUMNS} FROM notification WHERE ${IS_OWN} AND notification.id = ANY($4::uuid[])`);
const MARKS = statement(`
  SELECT conversation_id AS "conversationId", max(coalesce(seq, 0)) AS seq, max(id::text) AS "newestId"
  FROM notification WHERE ${IS_OWN} AND notification.read_at IS NULL GROUP BY conversation_id ORDER BY conversation_id`);
const READ = statement(`
  UPDATE notification SET read_at = $5
  WHERE ${IS_OWN} AND notification.read_at IS NULL AND notification.id = ANY($4::uuid[]) RETURNING ${COLUMNS}`);
const READ_ALL = statement(`
  UPDATE notification SET read_at = $5
  WHERE ${IS_OWN} AND notification.read_at IS NULL AND notification.id <= $4 RETURNING ${COLUMNS}`);
const READ_LOOKED_AT = statement(`
  UPDATE notification SET read_at = $5
  WHERE workspace_id = $1 AND member_id = $2 AND conversation_id = $3 AND read_at IS NULL
    AND (seq IS NULL OR seq <= $4) RETURNING ${COLUMNS}`);
const READ_ANSWERED = statement(`
  UPDATE notification SET read_at = $4
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS writer (workspace_id, member_id, conversation_id)
  WHERE notification.workspace_id = writer.workspace_id AND notification.member_id = writer.member_id
    AND notification.conversation_id = writer.conversation_id AND notification.read_at IS NULL
  RETURNING ${COLUMNS}`);
const INSERT = statement(`
  INSERT INTO notification (workspace_id, id, member_id, type, channel_id, conversation_id, message_id, seq, actor,
                            in_app, mail_due, read_at, created_at)
  SELECT "workspaceId", id, "memberId", type, "channelId", "conversationId", "messageId", seq, actor,
         "inApp", "mailDue", "readAt", "createdAt"
  FROM json_to_recordset($1) AS made (
    "workspaceId" uuid, id uuid, "memberId" uuid, type text, "channelId" uuid, "conversationId" uuid, "messageId" uuid,
    seq int, actor jsonb, "inApp" boolean, "mailDue" boolean, "readAt" timestamptz, "createdAt" timestamptz)
  WHERE EXISTS (
    SELECT FROM conversation WHERE conversation.workspace_id = "workspaceId" AND conversation.id = "conversationId"
      AND conversation.erased_at IS NULL)
    AND ("messageId" IS NULL OR EXISTS (
      SELECT FROM message WHERE message.workspace_id = "workspaceId" AND message.id = "messageId"
        AND message.deleted_at IS NULL))
  ON CONFLICT (workspace_id, member_id, conversation_id) WHERE type = 'replied' AND read_at IS NULL DO NOTHING
  RETURNING id`);
const DELETE_UNSENT = statement(`
  DELETE FROM notification
  USING unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS unsent (workspace_id, conversation_id, message_id)
  WHERE notification.workspace_id = unsent.workspace_id AND notification.conversation_id = unsent.conversation_id
    AND notification.message_id = unsent.message_id
  RETURNING ${COLUMNS}`);
const DELETE_OLD = statement(`
  DELETE FROM notification USING (
    SELECT workspace_id, id FROM notification WHERE created_at < $1 ORDER BY created_at LIMIT $2
  ) AS old
  WHERE notification.workspace_id = old.workspace_id AND notification.id = old.id`);
const ERASE_SLICE = statement(`
  DELETE FROM notification USING (
    SELECT workspace_id, id FROM notification WHERE workspace_id = $1 AND conversation_id = $2 LIMIT $3
  ) AS slice
  WHERE notification.workspace_id = slice.workspace_id AND notification.id = slice.id`);

export interface NotificationsQuery extends PageRequest {
  unread: boolean;
}

/** A message by its conversation. */
export interface UnsentNote {
  workspaceId: string;
  conversationId: string;
  messageId: string;
  seq: number;
}

@Injectable()
export class NotificationsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Newest first. @throws CursorInvalid */
  async findPage(
    principal: AgentPrincipal,
    { limit, cursor, unread }: NotificationsQuery,
  ): Promise<Page<Notification>> {
    const after = cursor === undefined ? null : decodeIdCursor(LIST, cursor);
    const select = unread ? UNREAD_PAGE : PAGE;
    const rows = await this.sql.rows<Notification>(select, [...ownerOf(principal), after, limit + 1]);
    return toPage(rows, limit, ({ id }) => encodeCursor(LIST, [id]));
  }

  async countUnread(principal: AgentPrincipal): Promise<number> {
    return (await this.sql.first<{ count: number }>(COUNT_UNREAD, ownerOf(principal)))?.count ?? 0;
  }

  findOwn(principal: AgentPrincipal, ids: readonly string[]): Promise<Notification[]> {
    return this.sql.rows<Notification>(FIND_OWN, [...ownerOf(principal), ids]);
  }

  /** The caller's unread notifications by conversation: the last `seq` and the newest id. */
  findMarks(principal: AgentPrincipal): Promise<{ conversationId: string; seq: number; newestId: string }[]> {
    return this.sql.rows(MARKS, ownerOf(principal));
  }

  /** @returns those that were unread */
  read(principal: AgentPrincipal, ids: readonly string[], at: Date): Promise<Notification[]> {
    return this.sql.rows<Notification>(READ, [...ownerOf(principal), ids, at]);
  }

  /** @returns those that were unread */
  readUpTo(principal: AgentPrincipal, newestId: string, at: Date): Promise<Notification[]> {
    return this.sql.rows<Notification>(READ_ALL, [...ownerOf(principal), newestId, at]);
  }

  /** Marks a member's notifications of messages up to a `seq`, and of assignments, as read. @returns those */
  readLookedAt(look: ParticipantKey, seq: number, at: Date): Promise<Notification[]> {
    const { workspaceId, memberId, conversationId } = look;
    return this.sql.rows<Notification>(READ_LOOKED_AT, [workspaceId, memberId, conversationId, seq, at]);
  }

  /** Marks all notifications of conversations in which their members have written as read. @returns those */
  async readAnswered(writers: readonly ParticipantKey[], at: Date): Promise<Notification[]> {
    if (writers.length === 0) return [];
    return this.sql.rows<Notification>(READ_ANSWERED, [
      writers.map(({ workspaceId }) => workspaceId),
      writers.map(({ memberId }) => memberId),
      writers.map(({ conversationId }) => conversationId),
      at,
    ]);
  }

  /**
   * Adds notifications, except of what was unsent or erased, and second unread ones of a contact's reply.
   * @returns the added ones
   */
  async insertAll(notifications: readonly Notification[]): Promise<Notification[]> {
    if (notifications.length === 0) return [];
    const rows = await this.sql.rows<{ id: string }>(INSERT, [JSON.stringify(notifications)]);
    const added = new Set(rows.map(({ id }) => id));
    return notifications.filter(({ id }) => added.has(id));
  }

  /** @returns the deleted notifications */
  async deleteUnsent(notes: readonly UnsentNote[]): Promise<Notification[]> {
    if (notes.length === 0) return [];
    return this.sql.rows<Notification>(DELETE_UNSENT, [
      notes.map(({ workspaceId }) => workspaceId),
      notes.map(({ conversationId }) => conversationId),
      notes.map(({ messageId }) => messageId),
    ]);
  }

  /** @returns the number of deleted notifications */
  deleteBefore(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_OLD, [time, limit]);
  }

  /** Deletes at most `limit` notifications of an erased conversation. */
  async eraseSlice({ workspaceId, id }: ErasedSubject, limit: number): Promise<Slice> {
    const scrubbed = await this.sql.count(ERASE_SLICE, [workspaceId, id, limit]);
    return { scrubbed, after: scrubbed === limit ? '0' : null };
  }
}

function ownerOf({ workspaceId, memberId, scope }: AgentPrincipal): unknown[] {
  return [workspaceId, memberId, scope];
}
