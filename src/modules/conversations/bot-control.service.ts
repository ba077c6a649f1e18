import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import type { Actor } from '../../kernel/domain-event.js';
import type { Principal } from '../../kernel/principal.js';
import { systemOf } from '../../kernel/principal.js';
import type { Bot } from '../bots/index.js';
import { BotsService } from '../bots/index.js';
import type { Channel } from '../channels/index.js';
import { ChannelsService } from '../channels/index.js';
import type { Conversation } from './conversation.js';
import { isControlledByBot } from './conversation.js';
import { BotNotInControl } from './conversations.errors.js';

/** Why a bot no longer serves a conversation, as the handoff tells it. */
type DetachmentReason = 'bot_deleted' | 'bot_disabled' | 'bot_detached';

/** Decides which bot serves a conversation, and what it may do there. */
@Injectable()
export class BotControlService {
  constructor(
    private readonly channels: ChannelsService,
    private readonly bots: BotsService,
  ) {}

  /** Finds the enabled bot that the channel is routed to; null if people serve it. */
  async findServingBot({ workspaceId, routing, deletedAt }: Channel): Promise<Bot | null> {
    if (routing.bot_id === null || deletedAt !== null) return null;
    const bot = await this.bots.find(systemOf(workspaceId), routing.bot_id);
    return bot?.status === 'enabled' ? bot : null;
  }

  /**
   * Like `findServingBot`, for a conversation that the unit of work opens or reopens: the bot is locked against changes,
   * and the channel is read again. So no change that hands off the bot's conversations can miss this one.
   */
  async lockServingBot({
    workspaceId,
    id,
    routing,
  }: Pick<Channel, 'workspaceId' | 'id' | 'routing'>): Promise<Bot | null> {
    if (routing.bot_id === null) return null;
    const bot = await this.bots.lockForShare(systemOf(workspaceId), routing.bot_id);
    const channel = await this.channels.find(workspaceId, id);
    const isServing = channel?.routing.bot_id === bot?.id && channel?.deletedAt === null;
    return isServing && bot?.status === 'enabled' ? bot : null;
  }

  /** Like `lockServingBot`, for the channel of a conversation. */
  async lockServingBotOf({ workspaceId, channelId }: Conversation): Promise<Bot | null> {
    const channel = await this.channels.find(workspaceId, channelId);
    return channel && this.lockServingBot(channel);
  }

  /** Like `findServingBot`, for the channel of a conversation. */
  async findServingBotOf({ workspaceId, channelId }: Conversation): Promise<Bot | null> {
    const channel = await this.channels.find(workspaceId, channelId);
    return channel && this.findServingBot(channel);
  }

  /** @throws BotNotInControl unless the bot is in control of the conversation, and its channel is routed to it */
  async assertInControl(conversation: Conversation, botId: string): Promise<void> {
    if (!isControlledByBot(conversation, botId)) throw new BotNotInControl();
    if ((await this.findServingBotOf(conversation))?.id !== botId) throw new BotNotInControl();
  }

  /**
   * The actor of a change: the caller, or the bot that an API key names.
   * @throws BotNotInControl
   */
  async resolveActor(principal: Principal, conversation: Conversation, botId: string | undefined): Promise<Actor> {
    const named = principal.kind === 'api_key' ? botId : undefined;
    const id = principal.kind === 'bot' ? principal.botId : named;
    if (id === undefined) return actorOf(principal);
    await this.assertInControl(conversation, id);
    return { type: 'bot', id };
  }

  /** Like `findDetachment`, for the bot that was in control of a resolved conversation; null if none was. */
  async findDetachmentOf({
    workspaceId,
    channelId,
    botId,
    beforeResolve,
  }: Conversation): Promise<DetachmentReason | null> {
    if (beforeResolve?.control !== 'bot' || botId === null) return null;
    const channel = await this.channels.find(workspaceId, channelId);
    return channel ? this.findDetachment(channel, botId) : 'bot_detached';
  }

  /** @returns null if the bot still serves the conversations of the channel */
  async findDetachment(channel: Channel, botId: string): Promise<DetachmentReason | null> {
    const bot = await this.bots.find(systemOf(channel.workspaceId), botId);
    if (!bot) return 'bot_deleted';
    if (channel.routing.bot_id !== botId || channel.deletedAt !== null) return 'bot_detached';
    return bot.status === 'enabled' ? null : 'bot_disabled';
  }
}
