import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound, ValidationFailed } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { Principal, StaffPrincipal } from '../../kernel/principal.js';
import { randomToken } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CipherService } from '../../platform/encryption/cipher.service.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { DEFAULT_ATTACHMENT_RULES } from './attachment-rules.js';
import { BotsService } from '../bots/index.js';
import { ChannelChangeHooks } from './channel-change-hooks.js';
import type { VisitorKind } from './channel-tokens.js';
import { revokeTokens } from './channel-tokens.js';
import { applyChanges, type ChannelChanges } from './channel-changes.js';
import type { Channel } from './channel.js';
import { isOriginAllowed, newWidgetToken, toChannelRecord } from './channel.js';
import { OriginNotAllowed } from './channels.errors.js';
import './channels.events.js';
import { ChannelsRepository } from './channels.repository.js';
import { IDENTITY_CONTEXT } from './identity-secrets.repository.js';
import { DEFAULT_WIDGET_CONFIG } from './widget-config.js';

type ChangeEvent = 'channel.updated' | 'channel.deleted' | 'channel.secret_rotated';

/** A channel with its secret in plain text, which is shown only once. */
export interface ChannelWithSecret {
  channel: Channel;
  identitySecret: string;
}

@Injectable()
export class ChannelsService {
  private readonly ownOrigin: string;

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly channels: ChannelsRepository,
    private readonly cipher: CipherService,
    private readonly changeHooks: ChannelChangeHooks,
    private readonly bots: BotsService,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.ownOrigin = new URL(config.publicUrl).origin;
  }

  list(principal: Principal, page: PageRequest): Promise<Page<Channel>> {
    return this.channels.findPage(principal, page);
  }

  async get(principal: Principal, id: string): Promise<Channel> {
    const channel = await this.channels.findVisible(principal, id);
    if (!channel) throw new NotFound();
    return channel;
  }

  findByWidgetToken(token: string): Promise<Channel | null> {
    return this.channels.findByWidgetToken(token);
  }

  /**
   * Checks the page of a visitor. The chat page of the service itself is always allowed: mails link to it.
   * @param allowed origins of a channel
   * @throws OriginNotAllowed
   */
  assertOriginAllowed(allowed: readonly string[], origin: string | undefined): void {
    if (origin === this.ownOrigin || isOriginAllowed(allowed, origin)) return;
    throw new OriginNotAllowed();
  }

  /** Like `find`, for several channels. */
  findAll(workspaceId: string, ids: readonly string[]): Promise<Channel[]> {
    return this.channels.findAll(workspaceId, ids);
  }

  /** Ids of the channels that route to the bot. */
  findRoutedTo(workspaceId: string, botId: string): Promise<string[]> {
    return this.channels.findRoutedTo(workspaceId, botId);
  }

  /** Finds deleted channels too, because conversations outlive their channel. */
  find(workspaceId: string, id: string): Promise<Channel | null> {
    return this.channels.find(workspaceId, id);
  }

  /**
   * Checks that the ids name existing channels of the workspace. Ids of another workspace are unknown.
   * @param ids null stands for all channels and is not checked
   * @throws ValidationFailed with one detail per unknown id in `channel_ids`
   */
  async assertExisting(workspaceId: string, ids: readonly string[] | null): Promise<void> {
    const existing = new Set(await this.findExistingIds(workspaceId, ids ?? []));
    const details = (ids ?? []).flatMap((id, index) =>
      existing.has(id)
        ? []
        : [{ field: `channel_ids[${index}]`, code: 'unknown', message: `channel ${id} does not exist` }],
    );
    if (details.length > 0) throw new ValidationFailed({ details });
  }

  /** Returns those ids that name existing channels. */
  findExistingIds(workspaceId: string, ids: readonly string[]): Promise<string[]> {
    return this.channels.findExistingIds(workspaceId, ids);
  }

  async create(principal: StaffPrincipal, name: string, changes: ChannelChanges = {}): Promise<ChannelWithSecret> {
    const now = this.clock.now();
    const identitySecret = randomToken('ids_');
    const channel: Channel = {
      id: newId(),
      workspaceId: principal.workspaceId,
      name,
      status: 'active',
      widgetToken: newWidgetToken(),
      allowedOrigins: [],
      identityVerification: 'optional',
      identitySecret: this.cipher.encrypt(identitySecret, IDENTITY_CONTEXT),
      verifiedGeneration: 1,
      unverifiedGeneration: 1,
      routing: { mode: 'manual', bot_id: null, reassign_after_minutes: null },
      singleConversation: true,
      reopenWindowHours: 72,
      autoResolveHours: null,
      csatEnabled: false,
      followupEmailMinutes: null,
      replyEmail: null,
      businessHours: null,
      keptQueryParams: [],
      attachments: DEFAULT_ATTACHMENT_RULES,
      widgetConfig: DEFAULT_WIDGET_CONFIG,
      deletedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    applyChanges(channel, changes);
    return this.units.run(async () => {
      await this.lockBot(principal, changes);
      await this.channels.insert(channel);
      await this.recordEvent(principal, 'channel.created', channel);
      return { channel, identitySecret };
    });
  }

  /** @throws NotFound @throws ValidationFailed for an unknown bot */
  update(principal: StaffPrincipal, id: string, changes: ChannelChanges): Promise<Channel> {
    return this.units.run(async () => {
      await this.lockBot(principal, changes);
      return this.change(principal, id, 'channel.updated', channel => {
        const before = channel.identityVerification;
        applyChanges(channel, changes);
        return before !== 'required' && channel.identityVerification === 'required' ? ['unverified'] : [];
      });
    });
  }

  /** Soft delete: conversations stay readable, visitor sessions end. */
  async delete(principal: StaffPrincipal, id: string): Promise<void> {
    await this.change(principal, id, 'channel.deleted', channel => {
      channel.deletedAt = this.clock.now();
      channel.status = 'disabled';
      channel.routing = { ...channel.routing, bot_id: null };
      return [];
    });
  }

  /** @param endSessions also revokes all visitor tokens that the channel has issued */
  rotateToken(principal: StaffPrincipal, id: string, endSessions: boolean): Promise<Channel> {
    return this.change(principal, id, 'channel.updated', channel => {
      channel.widgetToken = newWidgetToken();
      return endSessions ? ['verified', 'unverified'] : [];
    });
  }

  async rotateIdentitySecret(principal: StaffPrincipal, id: string): Promise<ChannelWithSecret> {
    const identitySecret = randomToken('ids_');
    const channel = await this.change(principal, id, 'channel.secret_rotated', present => {
      present.identitySecret = this.cipher.encrypt(identitySecret, IDENTITY_CONTEXT);
      return ['verified'];
    });
    return { channel, identitySecret };
  }

  /** Returns the key in plain text that verifies identity tokens. */
  identitySecretOf(channel: Channel): string {
    return this.cipher.decrypt(channel.identitySecret, IDENTITY_CONTEXT);
  }

  /** Locks a bot before the channel that routes to it, in the order of a bot's deletion. */
  private async lockBot(principal: StaffPrincipal, { routing }: ChannelChanges): Promise<void> {
    const id = routing?.bot_id;
    if (typeof id !== 'string' || (await this.bots.lockForShare(principal, id))) return;
    const detail = { field: 'routing.bot_id', code: 'unknown', message: `bot ${id} does not exist` };
    throw new ValidationFailed({ details: [detail] });
  }

  /** @param edit changes the channel and returns the kinds of visitors whose tokens are revoked */
  private change(
    principal: StaffPrincipal,
    id: string,
    type: ChangeEvent,
    edit: (channel: Channel) => VisitorKind[],
  ): Promise<Channel> {
    return this.units.run(async () => {
      const channel = await this.channels.lockVisible(principal, id);
      if (!channel) throw new NotFound();
      const from = { ...channel };
      const revoked = edit(channel).map(kind => ({ id, kind, generation: revokeTokens(channel, kind) }));
      channel.updatedAt = this.clock.now();
      await this.channels.save(channel);
      await this.recordEvent(principal, type, channel);
      const eventContext = { workspaceId: channel.workspaceId, channelId: id, actor: actorOf(principal) };
      for (const payload of revoked)
        await this.events.record({ type: 'channel.tokens_refused', ...eventContext, payload });
      await this.changeHooks.run({ from, to: channel }, principal);
      return channel;
    });
  }

  private async recordEvent(
    principal: StaffPrincipal,
    type: 'channel.created' | ChangeEvent,
    channel: Channel,
  ): Promise<void> {
    await this.events.record({
      type,
      workspaceId: channel.workspaceId,
      channelId: channel.id,
      actor: actorOf(principal),
      payload: toChannelRecord(channel),
    });
  }
}
