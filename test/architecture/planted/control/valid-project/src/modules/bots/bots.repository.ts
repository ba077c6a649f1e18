import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { Bot } from './bot.entity.js';

export class BotsRepository extends WorkspaceRepository {
  readonly table = Bot;
}
