import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { BotEntity } from './bot.entity.js';
import type { Bot } from './bot.js';

@Injectable()
export class BotsRepository extends WorkspaceRepository<BotEntity> {
  protected readonly entity = BotEntity;
  protected readonly alias = 'bot';

  /** Excludes the system bot, which is internal, and deleted bots, whose rows stay for the sake of their messages. */
  override visibleTo(principal: Principal): SelectQueryBuilder<BotEntity> {
    return super.visibleTo(principal).andWhere(`bot.kind = 'custom' AND bot.deletedAt IS NULL`);
  }

  async findPage(principal: Principal, { limit, cursor }: PageRequest): Promise<Page<Bot>> {
    const query = this.visibleTo(principal)
      .orderBy('bot.id', 'ASC')
      .limit(limit + 1);
    if (cursor !== undefined) {
      const after = decodeIdCursor('bots', cursor);
      query.andWhere('bot.id > :after', { after });
    }
    return toPage(await query.getMany(), limit, last => encodeCursor('bots', [last.id]));
  }

  /** Waits for concurrent changes, and keeps later ones from being committed until the unit of work ends. */
  lockForShare(principal: Principal, id: string): Promise<Bot | null> {
    return this.visibleTo(principal).andWhere('bot.id = :id', { id }).setLock('pessimistic_read').getOne();
  }

  findSystemBot(workspaceId: string): Promise<BotEntity | null> {
    return this.rows.findOneBy({ workspaceId, kind: 'system' });
  }
}
