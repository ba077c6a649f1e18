import { Injectable } from '@nestjs/common';
import { Sql, statement } from '../../../platform/database/sql.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import type { Principal } from '../../../kernel/principal.js';
import type { Conversation } from '../conversation.js';
import { MessageEntity } from './message.entity.js';
import type { Message, SenderType } from './message.js';
import type { MessageWindow } from './message-page.js';

const UNREAD = statement(`
  SELECT count(*) FILTER (WHERE sender_type = 'contact' AND seq > $3)::int AS agents,
         count(*) FILTER (WHERE sender_type <> 'contact' AND NOT private AND content_type <> 'event' AND seq > $4)::int AS contact
  FROM message WHERE workspace_id = $1 AND conversation_id = $2 AND seq > least($3, $4) AND deleted_at IS NULL`);
const LAST_PUBLIC = statement(`
  SELECT max(seq) AS seq FROM message
  WHERE workspace_id = $1 AND conversation_id = $2 AND seq > $3 AND seq <= $4 AND NOT private`);
/** Of a contact that has become another: what it said is what that one said. */
const RENAME_SENDER = statement(
  `
  UPDATE message SET sender_id = $4
  WHERE workspace_id = $1 AND conversation_id = ANY($2) AND sender_type = 'contact' AND sender_id = $3`,
  { timeout: 120_000 },
);
/** That something was said stays, and what happened by itself; not what, nor by which words of a client's own. */
const ERASE = statement(
  `
  UPDATE message
  SET content = NULL, attachments = '[]', client_message_id = NULL,
      metadata = CASE WHEN content_type = 'event' THEN jsonb_build_object('event', metadata -> 'event') ELSE '{}' END,
      deleted_at = CASE WHEN content_type = 'event' THEN deleted_at ELSE coalesce(deleted_at, $3) END
  WHERE workspace_id = $1 AND conversation_id = ANY($2)`,
  { timeout: 120_000 },
);

/** Messages are reached through their conversation, which the caller has found among those it may see. */
@Injectable()
export class MessagesRepository {
  constructor(
    private readonly units: UnitOfWork,
    private readonly sql: Sql,
  ) {}

  /** In order of `seq`: those after a mark, or the newest before one. A visitor's window holds no private notes. */
  async window(principal: Principal, conversation: Conversation, window: MessageWindow): Promise<Message[]> {
    const query = this.ofConversation(principal, conversation);
    if (window.beforeSeq !== undefined) query.andWhere('message.seq < :before', { before: window.beforeSeq });
    if (window.afterSeq !== undefined) query.andWhere('message.seq > :after', { after: window.afterSeq });
    const forwards = window.afterSeq !== undefined;
    const rows = await query
      .orderBy('message.seq', forwards ? 'ASC' : 'DESC')
      .limit(window.limit)
      .getMany();
    return forwards ? rows : rows.reverse();
  }

  find(principal: Principal, conversation: Conversation, id: string): Promise<Message | null> {
    return this.ofConversation(principal, conversation).andWhere('message.id = :id', { id }).getOne();
  }

  /** The message that the sender's own id has already made here. */
  byClientId(
    conversationId: string,
    sender: { type: SenderType; id: string },
    clientMessageId: string,
  ): Promise<Message | null> {
    const { type: senderType, id: senderId } = sender;
    return this.rows.findOneBy({ conversationId, senderType, senderId, clientMessageId });
  }

  /** Writes the message at the database's time: after the lock, and in the order of `seq`. */
  async insert(message: Omit<Message, 'createdAt'>): Promise<Message> {
    const { generatedMaps } = await this.rows.insert(message as never);
    const { createdAt } = generatedMaps[0] as Pick<Message, 'createdAt'>;
    return { ...message, createdAt };
  }

  async update(message: Message, columns: Partial<Message>): Promise<void> {
    const { workspaceId, id } = message;
    await this.rows.update({ workspaceId, id }, columns as object);
  }

  /** What is unread past the two marks. */
  async unread(
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

  /** The last public message behind one mark and up to another, if there is one between them. */
  async lastPublicWithin({ workspaceId, id }: Conversation, after: number, upTo: number): Promise<number | null> {
    const last = await this.sql.first<{ seq: number | null }>(LAST_PUBLIC, [workspaceId, id, after, upTo]);
    return last?.seq ?? null;
  }

  async renameSender(workspaceId: string, conversationIds: readonly string[], from: string, to: string): Promise<void> {
    await this.sql.count(RENAME_SENDER, [workspaceId, conversationIds, from, to]);
  }

  async erase(workspaceId: string, conversationIds: readonly string[], at: Date): Promise<void> {
    await this.sql.count(ERASE, [workspaceId, conversationIds, at]);
  }

  private ofConversation(principal: Principal, conversation: Conversation) {
    const { workspaceId, id: conversationId } = conversation;
    const query = this.rows
      .createQueryBuilder('message')
      .where('message.workspaceId = :workspaceId AND message.conversationId = :conversationId', {
        workspaceId,
        conversationId,
      });
    return principal.kind === 'visitor' ? query.andWhere('NOT message.private') : query;
  }

  private get rows() {
    return this.units.manager.getRepository(MessageEntity);
  }
}
