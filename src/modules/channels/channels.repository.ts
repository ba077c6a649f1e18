import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { IsNull } from 'typeorm';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { ChannelEntity } from './channel.entity.js';
import type { Channel } from './channel.js';

@Injectable()
export class ChannelsRepository extends WorkspaceRepository<ChannelEntity> {
  protected readonly entity = ChannelEntity;
  protected readonly alias = 'channel';
  protected override readonly scopeColumns = { channel: 'id' };

  /** Excludes deleted channels. Conversations still refer to them. */
  override visibleTo(principal: Principal): SelectQueryBuilder<ChannelEntity> {
    return super.visibleTo(principal).andWhere('channel.deletedAt IS NULL');
  }

  async findPage(principal: Principal, { limit, cursor }: PageRequest): Promise<Page<Channel>> {
    const query = this.visibleTo(principal)
      .orderBy('channel.id', 'ASC')
      .limit(limit + 1);
    if (cursor !== undefined) {
      const after = decodeIdCursor('channels', cursor);
      query.andWhere('channel.id > :after', { after });
    }
    return toPage(await query.getMany(), limit, last => encodeCursor('channels', [last.id]));
  }

  /** Finds the channel without a caller: visitors have only the public token. */
  findByWidgetToken(widgetToken: string): Promise<Channel | null> {
    return this.rows.findOneBy({ widgetToken, deletedAt: IsNull() });
  }

  find(workspaceId: string, id: string): Promise<Channel | null> {
    return this.rows.findOneBy({ workspaceId, id });
  }

  findAll(workspaceId: string, ids: readonly string[]): Promise<Channel[]> {
    return this.rows
      .createQueryBuilder('channel')
      .where('channel.workspaceId = :workspaceId AND channel.id = ANY(:ids)', { workspaceId, ids: [...ids] })
      .getMany();
  }

  /** Ids of the channels that route to the bot. */
  async findRoutedTo(workspaceId: string, botId: string): Promise<string[]> {
    const channels = await this.routedTo(workspaceId, botId).select('channel.id').getMany();
    return channels.map(({ id }) => id);
  }

  /** Locks the channels that route to the bot, in the order of their ids. */
  lockRoutedTo(workspaceId: string, botId: string): Promise<Channel[]> {
    return this.routedTo(workspaceId, botId).orderBy('channel.id').setLock('for_no_key_update').getMany();
  }

  private routedTo(workspaceId: string, botId: string) {
    return this.rows
      .createQueryBuilder('channel')
      .where('channel.workspaceId = :workspaceId AND channel.deletedAt IS NULL', { workspaceId })
      .andWhere(`channel.routing ->> 'bot_id' = :botId`, { botId });
  }

  /** Returns those ids that name existing channels of the workspace. */
  async findExistingIds(workspaceId: string, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.rows
      .createQueryBuilder('channel')
      .select('channel.id')
      .where('channel.workspaceId = :workspaceId AND channel.id = ANY(:ids)', { workspaceId, ids: [...ids] })
      .andWhere('channel.deletedAt IS NULL')
      .getMany();
    return rows.map(row => row.id);
  }
}
