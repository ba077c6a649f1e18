import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { principalKey } from '../../kernel/principal.js';
import { NotFound } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import { Fanout } from '../../platform/fanout/fanout.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import type { ConversationScope } from '../conversations/index.js';
import { ConversationsService } from '../conversations/index.js';
import type { TypingData } from './frames.schema.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import { NotAssigned } from './realtime.errors.js';
import { topics } from './topics.js';
import type { TypingNotice } from './typing-notice.js';
import { isTypingNotice } from './typing-notice.js';

const SUBJECT = 'typing';
const TYPING_MS = 8_000;
const MIN_INTERVAL_MS = 2_000;

/** When `typing` and `typing.stop` of one sender in one conversation were last published, and to which audience. */
interface TypingState {
  startAt: number;
  stopAt: number;
  agentsOnly: boolean;
}

const NEVER: TypingState = { startAt: -Infinity, stopAt: -Infinity, agentsOnly: false };

/**
 * Publishes typing indicators, at most one in two seconds, to everybody but the sender. Typing in a private note is
 * published to agents only.
 */
@Injectable()
export class TypingService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly states = new Map<string, TypingState>();
  private sweeper: NodeJS.Timeout | undefined;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly conversations: ConversationsService,
    private readonly hub: SocketHub,
    private readonly fanout: Fanout,
  ) {}

  onApplicationBootstrap(): void {
    this.unsubscribe = this.fanout.subscribe(SUBJECT, isTypingNotice, notice => this.deliver(notice));
    this.sweeper = setInterval(() => this.sweep(), TYPING_MS).unref();
  }

  onApplicationShutdown(): void {
    this.unsubscribe();
    clearInterval(this.sweeper);
  }

  /** @throws NotFound, NotAssigned */
  async start(principal: Principal, fields: Record<string, unknown>): Promise<void> {
    const conversation = await this.findTypable(principal, fields.conversation_id);
    const key = `${principalKey(principal)} ${conversation.id}`;
    const now = performance.now();
    if (now - (this.states.get(key) ?? NEVER).startAt < MIN_INTERVAL_MS) return;
    const agentsOnly = principal.kind === 'agent' && fields.private === true;
    this.states.set(key, { startAt: now, stopAt: -Infinity, agentsOnly });
    this.publish('typing', principal, conversation, agentsOnly);
  }

  /**
   * Publishes the end to the audience that saw the start, even if the frame omits `private`. If the start is unknown on
   * this instance, only agents receive it, unless `private` is false.
   * @throws NotFound, NotAssigned
   */
  async stop(principal: Principal, fields: Record<string, unknown>): Promise<void> {
    const conversation = await this.findTypable(principal, fields.conversation_id);
    const key = `${principalKey(principal)} ${conversation.id}`;
    const now = performance.now();
    const last = this.states.get(key) ?? NEVER;
    if (now - last.stopAt < MIN_INTERVAL_MS) return;
    this.states.set(key, { ...last, stopAt: now });
    const unknown = last === NEVER && fields.private !== false;
    const agentsOnly = principal.kind === 'agent' && (last.agentsOnly || unknown || fields.private === true);
    this.publish('typing.stop', principal, conversation, agentsOnly);
  }

  private async findTypable(principal: Principal, id: unknown): Promise<ConversationScope> {
    const conversation = isId(id) ? await this.conversations.findScope(principal, id) : null;
    if (!conversation) throw new NotFound();
    if (principal.kind === 'agent' && conversation.assigneeId !== principal.memberId) throw new NotAssigned();
    return conversation;
  }

  private publish(
    type: TypingNotice['type'],
    principal: Principal,
    { workspaceId, channelId, id: conversationId, contactId }: ConversationScope,
    agentsOnly: boolean,
  ): void {
    const sender: Pick<TypingData, 'sender_type' | 'sender_id' | 'name'> =
      principal.kind === 'agent'
        ? { sender_type: 'agent', sender_id: principal.memberId, name: principal.name }
        : { sender_type: 'contact', sender_id: contactId, name: null };
    const notice: TypingNotice = {
      type,
      workspaceId,
      channelId,
      conversationId,
      contactId,
      senderKey: principalKey(principal),
      data: { conversation_id: conversationId, ...sender, ...(type === 'typing' ? { expires_in_ms: TYPING_MS } : {}) },
      agentsOnly,
    };
    this.fanout.publish(SUBJECT, notice);
  }

  private deliver(notice: TypingNotice): void {
    const { type, workspaceId, channelId, conversationId, contactId, data, senderKey, agentsOnly } = notice;
    const frame = ephemeralFrame(type, data, { conversation_id: conversationId, channel_id: channelId });
    const agents = [topics.inbox(workspaceId), topics.channel(channelId), topics.conversation(conversationId)];
    const visitors = agentsOnly
      ? []
      : [topics.contact(contactId, channelId), topics.visitorConversation(conversationId)];
    this.hub.broadcast([...agents, ...visitors], frame, {
      ephemeral: true,
      except: connection => connection.principalKey === senderKey,
    });
  }

  private sweep(): void {
    const old = performance.now() - TYPING_MS;
    for (const [key, { startAt, stopAt }] of this.states) if (startAt < old && stopAt < old) this.states.delete(key);
  }
}
