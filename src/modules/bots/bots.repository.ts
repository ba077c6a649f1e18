import { Injectable } from '@nestjs/common';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { BotEntity } from './bot.entity.js';

@Injectable()
export class BotsRepository extends WorkspaceRepository<BotEntity> {
  protected readonly entity = BotEntity;
  protected readonly alias = 'bot';

  systemBot(workspaceId: string): Promise<BotEntity | null> {
    return this.rows.findOneBy({ workspaceId, kind: 'system' });
  }
}
