import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { isVisible, scopeColumnsOf, visibilityOf } from '../../platform/database/visibility.js';
import { CALLER } from '../../platform/database/workspace.repository.js';
import type { ErasedSubject, Slice } from '../../platform/erasure/erasure-step.registry.js';
import type { Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { systemOf } from '../../kernel/principal.js';
import type { Conversation, SenderType } from '../conversations/index.js';
import { MessageEntity } from './message.entity.js';
import type { Message } from './message.js';
import { withoutContent } from './message.js';
import type { MessageWindow } from './message-page.js';

const UNREAD = statement(`
  SELECT count(*) FILTER (WHERE sender_type = 'contact' AND seq > $3)::int AS agents,
         count(*) FILTER (WHERE sender_type <> 'contact' AND NOT private AND content_type <> 'event' AND seq > $4)::int AS contact
  FROM message WHERE workspace_id = $1 AND conversation_id = $2 AND seq > least($3, $4) AND deleted_at IS NULL`);
const LAST_PUBLIC = statement(`
  SELECT max(seq) AS seq FROM message
  WHERE workspace_id = $1 AND conversation_id = $2 AND seq > $3 AND seq <= $4 AND NOT private`);
const HAS_PUBLIC = statement(`
  SELECT EXISTS (
    SELECT FROM message WHERE workspace_id = $1 AND conversation_id = $2 AND sender_type = ANY($3)
      AND NOT private AND content_type <> 'event' AND NOT (sender_type = 'bot' AND metadata ? 'auto')
  ) AS found`);
/** Messages of a bot after the last public one of a person; counting stops at `$4`. */
const IN_A_ROW = statement(`
  SELECT count(*)::int AS count FROM (
    SELECT FROM message
    WHERE workspace_id = $1 AND conversation_id = $2 AND sender_type = 'bot' AND sender_id = $3
      AND content_type <> 'event' AND NOT private AND seq > coalesce((
        SELECT seq FROM message
        WHERE workspace_id = $1 AND conversation_id = $2 AND sender_type IN ('contact', 'agent')
          AND content_type <> 'event' AND NOT private
        ORDER BY seq DESC LIMIT 1
      ), 0)
    LIMIT $4
  ) AS sent`);
/** After a contact merge, the remaining contact is the sender. */
const RENAME_SENDER = statement(
  `
  UPDATE message SET sender_id = $4
  WHERE workspace_id = $1 AND conversation_id = ANY($2) AND sender_type = 'contact' AND sender_id = $3`,
  { timeout: 120_000 },
);
/** Removes content and client ids. Sender, time, and the event of timeline entries stay. */
const SCRUB_SLICE = statement(`
  WITH slice AS (
    SELECT id, seq FROM message
    WHERE workspace_id = $1 AND conversation_id = $2 AND seq > $3::bigint ORDER BY seq LIMIT $4
  ),
  scrubbed AS (
    UPDATE message
    SET content = NULL, attachments = '[]', client_message_id = NULL,
        metadata = CASE WHEN content_type = 'event' THEN jsonb_build_object('event', metadata -> 'event') ELSE '{}' END,
        deleted_at = CASE WHEN content_type = 'event' THEN deleted_at ELSE coalesce(deleted_at, conversation.erased_at) END
    FROM slice, conversation
    WHERE message.workspace_id = $1 AND message.id = slice.id
      AND conversation.workspace_id = $1 AND conversation.id = $2 AND conversation.erased_at IS NOT NULL
  )
  SELECT count(*)::int AS scrubbed, max(seq)::text AS last FROM slice`);
/** Among the contact's hundred newest conversations: a client repeats a request soon. */
const CONVERSATION_OF_CLIENT_ID = statement(`
  SELECT recent.id
  FROM (
    SELECT id FROM conversation WHERE workspace_id = $1 AND contact_id = $2 AND channel_id = $3 ORDER BY id DESC LIMIT 100
  ) recent
    JOIN message ON message.conversation_id = recent.id AND message.sender_type = 'contact'
      AND message.sender_id = $2 AND message.client_message_id = $4
  ORDER BY recent.id DESC LIMIT 1`);
/** Read in the same query as the messages, so that both have one snapshot. */
const ERASED_AT = `(
  SELECT erased_at FROM conversation WHERE workspace_id = :workspaceId AND id = :conversationId)`;

const IS_OF_VISIBLE_CONVERSATION = `EXISTS (
  SELECT FROM conversation WHERE conversation.id = message.conversation_id AND conversation.erased_at IS NULL
    AND ${isVisible(scopeColumnsOf('conversation'), CALLER)})`;

/** Messages of a conversation. The caller must have checked that the conversation is visible. */
@Injectable()
export class MessagesRepository {
  constructor(
    private readonly units: UnitOfWork,
    private readonly sql: SqlService,
  ) {}

  /** In order of `seq`: messages after a `seq`, or the newest before one. Visitors get no private notes. */
  async findWindow(principal: Principal, conversation: Conversation, window: MessageWindow): Promise<Message[]> {
    const query = this.ofConversation(principal, conversation);
    if (window.beforeSeq !== undefined) query.andWhere('message.seq < :before', { before: window.beforeSeq });
    if (window.afterSeq !== undefined) query.andWhere('message.seq > :after', { after: window.afterSeq });
    const forwards = window.afterSeq !== undefined;
    const rows = await this.loadWithoutErased(
      query.orderBy('message.seq', forwards ? 'ASC' : 'DESC').limit(window.limit),
    );
    return forwards ? rows : rows.reverse();
  }

  /** Public messages before a `seq`, newest first. Leaves out timeline entries. */
  findPublicBefore(conversation: Conversation, seq: number, limit: number): Promise<Message[]> {
    return this.loadWithoutErased(
      this.ofConversation(systemOf(conversation.workspaceId), conversation)
        .andWhere(`message.seq < :seq AND NOT message.private AND message.contentType <> 'event'`, { seq })
        .orderBy('message.seq', 'DESC')
        .limit(limit),
    );
  }

  async find(principal: Principal, conversation: Conversation, id: string): Promise<Message | null> {
    const query = this.ofConversation(principal, conversation).andWhere('message.id = :id', { id });
    return (await this.loadWithoutErased(query))[0] ?? null;
  }

  /** Finds those of the messages that the caller may see. Leaves out unsent and erased ones, and timeline entries. */
  findVisible(principal: StaffPrincipal, ids: readonly string[]): Promise<Message[]> {
    const { workspaceId, contactId, channels } = visibilityOf(principal);
    return this.rows
      .createQueryBuilder('message')
      .where('message.workspaceId = :workspaceId AND message.id = ANY(:ids)', { workspaceId, ids: [...ids] })
      .andWhere(`message.deletedAt IS NULL AND message.contentType <> 'event'`)
      .andWhere(IS_OF_VISIBLE_CONVERSATION, { callerContact: contactId, callerChannels: channels })
      .getMany();
  }

  findBySeq({ workspaceId, id: conversationId }: Conversation, seq: number): Promise<Message | null> {
    return this.rows.findOneBy({ workspaceId, conversationId, seq });
  }

  /** Finds the message that the sender already sent with this client id. */
  findByClientId(
    conversationId: string,
    sender: { type: SenderType; id: string },
    clientMessageId: string,
  ): Promise<Message | null> {
    const { type: senderType, id: senderId } = sender;
    return this.rows.findOneBy({ conversationId, senderType, senderId, clientMessageId });
  }

  /** Finds the visitor's conversation that has its message with this client id. */
  async findConversationId(
    { workspaceId, contactId, channelId }: VisitorPrincipal,
    clientMessageId: string,
  ): Promise<string | null> {
    const values = [workspaceId, contactId, channelId, clientMessageId];
    return (await this.sql.first<{ id: string }>(CONVERSATION_OF_CLIENT_ID, values))?.id ?? null;
  }

  /** Inserts the message with the database's time: after the lock was granted, so that times ascend with `seq`. */
  async insert(message: Omit<Message, 'createdAt'>): Promise<Message> {
    const { generatedMaps } = await this.rows.insert(message as never);
    const { createdAt } = generatedMaps[0] as Pick<Message, 'createdAt'>;
    return { ...message, createdAt };
  }

  async update(message: Message, columns: Partial<Message>): Promise<void> {
    const { workspaceId, id } = message;
    await this.rows.update({ workspaceId, id }, columns as object);
  }

  /** Counts unread messages after the two read positions. */
  async countUnread(
    conversation: Conversation,
    agentsSeq: number,
    contactSeq: number,
  ): Promise<{ agents: number; contact: number }> {
    const { workspaceId, id } = conversation;
    const counted = await this.sql.first<{ agents: number; contact: number }>(UNREAD, [
      workspaceId,
      id,
      agentsSeq,
      contactSeq,
    ]);
    return counted ?? { agents: 0, contact: 0 };
  }

  /** The last public `seq` after one position and up to another; null if there is none. */
  async findLastPublicSeq({ workspaceId, id }: Conversation, after: number, upTo: number): Promise<number | null> {
    const last = await this.sql.first<{ seq: number | null }>(LAST_PUBLIC, [workspaceId, id, after, upTo]);
    return last?.seq ?? null;
  }

  /** Public messages of agents that were not unsent, in order of `seq`. */
  findAnswers(
    conversation: Conversation,
    { after, upTo }: { after: number; upTo: number },
    limit: number,
  ): Promise<Message[]> {
    const query = this.ofConversation(systemOf(conversation.workspaceId), conversation)
      .andWhere('message.seq > :after AND message.seq <= :upTo', { after, upTo })
      .andWhere(`message.senderType = 'agent' AND NOT message.private AND message.contentType <> 'event'`)
      .andWhere('message.deletedAt IS NULL');
    return this.loadWithoutErased(query.orderBy('message.seq').limit(limit));
  }

  /** Timeline entries and automatic messages do not count. */
  async hasPublicMessage({ workspaceId, id }: Conversation, senders: readonly SenderType[]): Promise<boolean> {
    return (await this.sql.first<{ found: boolean }>(HAS_PUBLIC, [workspaceId, id, senders]))?.found ?? false;
  }

  /** Counts the bot's messages since the last public one of a person, up to a limit. */
  async countInARow({ workspaceId, id }: Conversation, botId: string, limit: number): Promise<number> {
    return (await this.sql.first<{ count: number }>(IN_A_ROW, [workspaceId, id, botId, limit]))?.count ?? 0;
  }

  async renameSender(workspaceId: string, conversationIds: readonly string[], from: string, to: string): Promise<void> {
    await this.sql.count(RENAME_SENDER, [workspaceId, conversationIds, from, to]);
  }

  /** Scrubs at most `limit` messages of an erased conversation after a `seq`. */
  async scrubSlice({ workspaceId, id }: ErasedSubject, after: string, limit: number): Promise<Slice> {
    const values = [workspaceId, id, after, limit];
    const slice = await this.sql.first<{ scrubbed: number; last: string }>(SCRUB_SLICE, values);
    const scrubbed = slice?.scrubbed ?? 0;
    return { scrubbed, after: slice && scrubbed === limit ? slice.last : null };
  }

  /** Hides the content of an erased conversation from the commit of the erasure on, before the job has scrubbed it. */
  private async loadWithoutErased(query: SelectQueryBuilder<MessageEntity>): Promise<Message[]> {
    const { entities, raw } = await query.addSelect(ERASED_AT, 'erased_at').getRawAndEntities<{
      erased_at: Date | null;
    }>();
    const erasedAt = raw[0]?.erased_at ?? null;
    return erasedAt === null ? entities : entities.map(message => withoutContent(message, erasedAt));
  }

  private ofConversation(principal: Principal, conversation: Conversation) {
    const { workspaceId, id: conversationId } = conversation;
    const query = this.rows
      .createQueryBuilder('message')
      .where('message.workspaceId = :workspaceId AND message.conversationId = :conversationId', {
        workspaceId,
        conversationId,
      });
    const seesNotes = principal.kind !== 'visitor' && principal.kind !== 'bot';
    return seesNotes ? query : query.andWhere('NOT message.private');
  }

  private get rows() {
    return this.units.manager.getRepository(MessageEntity);
  }
}
