import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { BotTurn, EndReason, TurnKind, TurnState } from './bot-turn.js';

@Entity({ name: 'bot_turn' })
@Index('ix_bot_turn_due', ['dueAt'], { where: `"due_at" IS NOT NULL` })
@Index('ix_bot_turn_conversation', ['workspaceId', 'conversationId', 'seq'], { where: `"ended_at" IS NULL` })
@Index('ix_bot_turn_created', ['createdAt'])
@Check('ck_bot_turn_kind', `"kind" IN ('message', 'ended')`)
@Check('ck_bot_turn_state', `"state" IN ('queued', 'open', 'awaiting', 'answered', 'cancelled', 'failed')`)
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ['workspaceId', 'id'], {
  name: 'fk_bot_turn_conversation',
  onDelete: 'CASCADE',
})
@ForeignKey('bot', ['workspaceId', 'botId'], ['workspaceId', 'id'], { name: 'fk_bot_turn_bot', onDelete: 'CASCADE' })
export class BotTurnEntity implements BotTurn {
  @KeyColumn('workspace_id', 'pk_bot_turn')
  workspaceId!: string;

  @KeyColumn('id', 'pk_bot_turn')
  id!: string;

  @TextColumn('kind')
  kind!: TurnKind;

  @IdColumn('conversation_id')
  conversationId!: string;

  @IdColumn('bot_id')
  botId!: string;

  @IdColumn('message_id', { nullable: true })
  messageId!: string | null;

  @Column({ name: 'seq', type: 'integer' })
  seq!: number;

  @TextColumn('reason', { nullable: true })
  reason!: EndReason | null;

  @TextColumn('state')
  state!: TurnState;

  @Column({ name: 'attempts', type: 'integer', default: 0 })
  attempts!: number;

  @TimeColumn('due_at', { nullable: true })
  dueAt!: Date | null;

  @TimeColumn('deadline_at', { nullable: true })
  deadlineAt!: Date | null;

  @Column({ name: 'has_message', type: 'boolean', default: false })
  hasMessage!: boolean;

  @IdColumn('lease', { nullable: true })
  lease!: string | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('ended_at', { nullable: true })
  endedAt!: Date | null;
}
