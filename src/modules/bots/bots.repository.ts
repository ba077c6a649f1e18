import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { LOCK_WORKSPACE } from '../../platform/database/workspace-lock.js';
import { BotEntity } from './bot.entity.js';
import type { Bot } from './bot.js';

const COUNT = statement(`
  SELECT count(*)::int AS count FROM bot WHERE workspace_id = $1 AND kind = 'custom' AND deleted_at IS NULL`);

@Injectable()
export class BotsRepository extends WorkspaceRepository<BotEntity> {
  protected readonly entity = BotEntity;
  protected readonly alias = 'bot';

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    super(units);
  }

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

  /** Counts the workspace's bots and locks their number until the unit of work ends. */
  async lockAndCount(workspaceId: string): Promise<number> {
    await this.sql.count(LOCK_WORKSPACE, [workspaceId]);
    return (await this.sql.first<{ count: number }>(COUNT, [workspaceId]))?.count ?? 0;
  }

  /** Waits for concurrent changes, and keeps later ones from being committed until the unit of work ends. */
  lockForShare(principal: Principal, id: string): Promise<Bot | null> {
    return this.visibleTo(principal).andWhere('bot.id = :id', { id }).setLock('pessimistic_read').getOne();
  }

  findSystemBot(workspaceId: string): Promise<BotEntity | null> {
    return this.rows.findOneBy({ workspaceId, kind: 'system' });
  }
}
