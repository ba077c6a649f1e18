import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Bot } from './bot.js';
import { BotsRepository } from './bots.repository.js';

@Injectable()
export class BotsService {
  private readonly systemBots = new Map<string, string>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly bots: BotsRepository,
    private readonly clock: Clock,
  ) {}

  /** Makes the bot that signs what happens by itself; part of making a workspace. */
  async createSystemBot(workspaceId: string): Promise<Bot> {
    const now = this.clock.now();
    const bot: Bot = {
      id: newId(),
      workspaceId,
      kind: 'system',
      name: 'System',
      description: null,
      avatarUrl: null,
      status: 'enabled',
      webhookUrl: null,
      historyCount: 0,
      timeoutSeconds: 120,
      secret: null,
      deletedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    return this.units.run(() => this.bots.insert(bot));
  }

  /** The id never changes, so it is remembered. */
  async systemBotId(workspaceId: string): Promise<string> {
    const known = this.systemBots.get(workspaceId);
    if (known !== undefined) return known;
    const bot = await this.bots.systemBot(workspaceId);
    if (!bot) throw new Error(`workspace ${workspaceId} has no system bot`);
    this.systemBots.set(workspaceId, bot.id);
    return bot.id;
  }

  find(principal: Principal, id: string): Promise<Bot | null> {
    return this.bots.findVisible(principal, id);
  }
}
