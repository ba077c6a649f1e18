import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { LimitReached, NotFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { Principal, StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CipherService } from '../../platform/encryption/cipher.service.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { AddressPolicy } from '../../platform/outbound/address.policy.js';
import { newSigningSecret } from '../../platform/outbound/signing-secret.js';
import { BotChangeHooks } from './bot-change-hooks.js';
import { BotTeardownHooks } from './bot-teardown-hooks.js';
import { SECRET_CONTEXT } from './bot-secrets.repository.js';
import type { Bot, BotStatus } from './bot.js';
import { HISTORY_COUNT, SECRET_OVERLAP_MS, TIMEOUT_SECONDS, toBotRecord, withoutQuery } from './bot.js';
import './bots.events.js';
import { BotsRepository } from './bots.repository.js';

export interface BotChanges {
  name?: string | undefined;
  description?: string | null | undefined;
  avatar_url?: string | null | undefined;
  status?: BotStatus | undefined;
  webhook_url?: string | null | undefined;
  history_count?: number | undefined;
  timeout_seconds?: number | undefined;
}

/** A bot with its secret in plain text, which is shown only once. */
export interface BotWithSecret {
  bot: Bot;
  secret: string;
}

type ChangeEvent = 'bot.created' | 'bot.updated' | 'bot.deleted' | 'bot.secret_rotated';

@Injectable()
export class BotsService {
  private readonly systemBotIds = new Map<string, string>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly bots: BotsRepository,
    private readonly changeHooks: BotChangeHooks,
    private readonly teardownHooks: BotTeardownHooks,
    private readonly addresses: AddressPolicy,
    private readonly cipher: CipherService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Creates the sender of timeline entries. Joins the unit of work that creates the workspace. */
  async createSystemBot(workspaceId: string): Promise<Bot> {
    const bot = { ...this.draft(workspaceId, 'System'), kind: 'system' as const, historyCount: 0 };
    return this.units.run(() => this.bots.insert(bot));
  }

  /** Cached in memory without expiry, because the id never changes. */
  async systemBotId(workspaceId: string): Promise<string> {
    const known = this.systemBotIds.get(workspaceId);
    if (known !== undefined) return known;
    const bot = await this.bots.findSystemBot(workspaceId);
    if (!bot) throw new Error(`workspace ${workspaceId} has no system bot`);
    this.systemBotIds.set(workspaceId, bot.id);
    return bot.id;
  }

  list(principal: Principal, page: PageRequest): Promise<Page<Bot>> {
    return this.bots.findPage(principal, page);
  }

  find(principal: Principal, id: string): Promise<Bot | null> {
    return this.bots.findVisible(principal, id);
  }

  async get(principal: Principal, id: string): Promise<Bot> {
    const bot = await this.find(principal, id);
    if (!bot) throw new NotFound();
    return bot;
  }

  /** Locks the bot against changes until the unit of work ends. @returns null if the caller sees no such bot */
  lockForShare(principal: Principal, id: string): Promise<Bot | null> {
    return this.bots.lockForShare(principal, id);
  }

  /** The secrets in plain text that sign deliveries now, the newest first. */
  signingSecretsOf({ secret, previousSecret, previousSecretUntil }: Bot): string[] {
    const isPreviousValid = previousSecretUntil !== null && previousSecretUntil > this.clock.now();
    return [secret, isPreviousValid ? previousSecret : null]
      .filter(text => text !== null)
      .map(text => this.cipher.decrypt(text, SECRET_CONTEXT));
  }

  /** Call `assertCallable` first: `create` does not check the webhook URL. @throws LimitReached */
  async create(principal: StaffPrincipal, fields: BotChanges & { name: string }): Promise<BotWithSecret> {
    const secret = newSigningSecret();
    const bot: Bot = { ...this.draft(principal.workspaceId, fields.name), secret: this.encrypt(secret) };
    applyChanges(bot, fields);
    return this.units.run(async () => {
      const count = await this.bots.lockAndCount(bot.workspaceId);
      if (count >= this.config.resourceLimits.bots) throw new LimitReached();
      await this.bots.insert(bot);
      await this.recordEvent('bot.created', bot, principal);
      return { bot, secret };
    });
  }

  /**
   * Records no event if nothing changes.
   * @throws NotFound @throws ValidationFailed for a webhook URL that must not be called
   */
  async update(principal: StaffPrincipal, id: string, changes: BotChanges): Promise<Bot> {
    await this.assertCallable(changes);
    return this.units.run(async () => {
      const bot = await this.lock(principal, id);
      const from = { ...bot };
      applyChanges(bot, changes);
      if (JSON.stringify(toBotRecord(bot)) === JSON.stringify(toBotRecord(from))) return bot;
      await this.saveAndRecord('bot.updated', bot, principal);
      await this.changeHooks.run({ from, to: bot }, principal);
      return bot;
    });
  }

  /** Soft delete: its messages keep its name. Teardown hooks run in the same unit of work. @throws NotFound */
  async delete(principal: StaffPrincipal, id: string): Promise<void> {
    await this.units.run(async () => {
      const bot = await this.lock(principal, id);
      bot.deletedAt = this.clock.now();
      bot.secret = null;
      bot.previousSecret = null;
      await this.saveAndRecord('bot.deleted', bot, principal);
      await this.teardownHooks.run(bot, principal);
    });
  }

  /** The old secret signs too for another 24 hours. @throws NotFound */
  async rotateSecret(principal: StaffPrincipal, id: string): Promise<BotWithSecret> {
    const secret = newSigningSecret();
    return this.units.run(async () => {
      const bot = await this.lock(principal, id);
      bot.previousSecret = bot.secret;
      bot.previousSecretUntil = new Date(this.clock.now().getTime() + SECRET_OVERLAP_MS);
      bot.secret = this.encrypt(secret);
      return { bot: await this.saveAndRecord('bot.secret_rotated', bot, principal), secret };
    });
  }

  private draft(workspaceId: string, name: string): Bot {
    const now = this.clock.now();
    return {
      id: newId(),
      workspaceId,
      kind: 'custom',
      name,
      description: null,
      avatarUrl: null,
      status: 'enabled',
      webhookUrl: null,
      historyCount: HISTORY_COUNT.default,
      timeoutSeconds: TIMEOUT_SECONDS.default,
      secret: null,
      previousSecret: null,
      previousSecretUntil: null,
      deletedAt: null,
      createdAt: now,
      updatedAt: now,
    };
  }

  /** Call it before a unit of work: it may wait for DNS. @throws ValidationFailed for a URL that must not be called */
  async assertCallable({ webhook_url: url }: BotChanges): Promise<void> {
    if (typeof url === 'string') await this.addresses.assertCallable(url, 'webhook_url');
  }

  private encrypt(secret: string): string {
    return this.cipher.encrypt(secret, SECRET_CONTEXT);
  }

  private async lock(principal: StaffPrincipal, id: string): Promise<Bot> {
    const bot = await this.bots.lockVisible(principal, id);
    if (!bot) throw new NotFound();
    return bot;
  }

  private async saveAndRecord(type: ChangeEvent, bot: Bot, by: StaffPrincipal): Promise<Bot> {
    bot.updatedAt = this.clock.now();
    await this.bots.save(bot);
    await this.recordEvent(type, bot, by);
    return bot;
  }

  private async recordEvent(type: ChangeEvent, bot: Bot, by: StaffPrincipal): Promise<void> {
    await this.events.record({
      type,
      workspaceId: bot.workspaceId,
      actor: actorOf(by),
      payload: withoutQuery(toBotRecord(bot)),
    });
  }
}

function applyChanges(bot: Bot, changes: BotChanges): void {
  bot.name = changes.name ?? bot.name;
  if (changes.description !== undefined) bot.description = changes.description;
  if (changes.avatar_url !== undefined) bot.avatarUrl = changes.avatar_url;
  bot.status = changes.status ?? bot.status;
  if (changes.webhook_url !== undefined) bot.webhookUrl = changes.webhook_url;
  bot.historyCount = changes.history_count ?? bot.historyCount;
  bot.timeoutSeconds = changes.timeout_seconds ?? bot.timeoutSeconds;
}
