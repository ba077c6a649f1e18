import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { Bot } from './bot.js';

@Entity({ name: 'bot' })
@Index('uq_bot_system', ['workspaceId'], { unique: true, where: `"kind" = 'system'` })
@Check('ck_bot_kind', `"kind" IN ('system', 'custom')`)
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_bot_workspace', onDelete: 'CASCADE' })
export class BotEntity implements Bot {
  @KeyColumn('workspace_id', 'pk_bot')
  workspaceId!: string;

  @KeyColumn('id', 'pk_bot')
  id!: string;

  @TextColumn('kind')
  kind!: 'system' | 'custom';

  @TextColumn('name')
  name!: string;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
