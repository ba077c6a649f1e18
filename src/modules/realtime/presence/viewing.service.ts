import { Injectable, OnModuleInit } from '@nestjs/common';
import { covers, narrow } from '../../../kernel/channel-scope.js';
import type { RecordedEvent } from '../../../kernel/domain-event.js';
import { NotFound, ValidationFailed } from '../../../kernel/errors.js';
import { isId } from '../../../kernel/ids.js';
import type { AgentPrincipal } from '../../../kernel/principal.js';
import { EventTailJob } from '../../../platform/events/event-tail.job.js';
import type { SerializedFrame } from '../../../kernel/serialized-frame.js';
import type { PresenceChange } from '../../../platform/presence/presence-change.js';
import { PresenceStore } from '../../../platform/presence/presence-store.js';
import { PresenceGroups } from '../../../platform/presence/presence-groups.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../../platform/sockets/socket-hub.js';
import { ConversationsService } from '../../conversations/index.js';
import { BotFramesService } from '../bot-frames.service.js';
import { ephemeralFrame } from '../ephemeral-frames.js';
import { topics } from '../topics.js';
import { PageViewersService } from './page-viewers.service.js';

/** The conversation that a socket's agent views. */
interface CurrentView {
  workspaceId: string;
  channelId: string;
  conversationId: string;
  memberId: string;
}

const groups = new PresenceGroups('viewing');
const keyOf = ({ conversationId, memberId }: CurrentView) => `${conversationId} ${memberId}`;

/**
 * Tracks which member views which conversation, so that two agents notice that they are about to answer the same
 * contact. A socket views one conversation at a time, until it views another, closes or loses access to it.
 */
@Injectable()
export class ViewingService implements OnModuleInit {
  private readonly views = new Map<SocketConnection, CurrentView>();
  /** The number of this instance's sockets by conversation and member. */
  private readonly counts = new Map<string, number>();
  /** The socket whose `view` call is running. It gets its own answer and is skipped in the broadcast. */
  private requester: SocketConnection | null = null;

  constructor(
    private readonly store: PresenceStore,
    private readonly hub: SocketHub,
    private readonly tail: EventTailJob,
    private readonly conversations: ConversationsService,
    private readonly pageViewers: PageViewersService,
    private readonly botFrames: BotFramesService,
  ) {}

  onModuleInit(): void {
    this.store.listen(change => this.onChange(change));
    this.hub.observe({ joined: () => undefined, left: connection => this.end(connection) });
    this.tail.listen(event => {
      if (event.type === 'member.updated') this.rescope(event as RecordedEvent<'member.updated'>);
    });
  }

  /** Sets the socket's conversation, or none for null, and sends the members who view it. @throws NotFound */
  async view(connection: SocketConnection, { conversation_id: id }: Record<string, unknown>): Promise<void> {
    if (id === null) return this.end(connection);
    if (typeof id !== 'string') throw missingId();
    const principal = connection.principal as AgentPrincipal;
    const conversation = isId(id) ? await this.conversations.findScope(principal, id) : null;
    if (!conversation) throw new NotFound();
    // the socket may have closed, or its scope changed, during the query
    if (connection.closedAt !== null || !this.hub.connections.has(connection)) return;
    const { workspaceId, channelId, id: conversationId } = conversation;
    if (!covers((connection.principal as AgentPrincipal).scope, channelId)) throw new NotFound();
    this.requester = connection;
    this.start(connection, { workspaceId, channelId, conversationId, memberId: principal.memberId });
    this.requester = null;
    connection.send(this.frameOf(workspaceId, channelId, conversationId));
    this.pageViewers.follow(connection, 'viewing', conversation);
    this.botFrames.sendDraft(connection, conversationId);
  }

  /** Sends an inbox that has just opened all conversations that are being viewed. */
  sendSnapshot(connection: SocketConnection): void {
    const { workspaceId, scope } = connection.principal as AgentPrincipal;
    const viewed = new Map<string, string>();
    for (const [key, channelId] of this.store.listPresent(groups.groupFor(workspaceId))) {
      if (isId(conversationOf(key)) && covers(scope, channelId)) viewed.set(conversationOf(key), channelId);
    }
    for (const [id, channelId] of viewed) connection.send(this.frameOf(workspaceId, channelId, id), true);
  }

  private start(connection: SocketConnection, view: CurrentView): void {
    const former = this.views.get(connection);
    if (former?.conversationId === view.conversationId) return;
    this.end(connection);
    this.views.set(connection, view);
    this.hub.join(connection, topics.viewers(view.conversationId));
    const key = keyOf(view);
    const count = this.counts.get(key) ?? 0;
    this.counts.set(key, count + 1);
    if (count === 0) this.store.enter(groups.groupFor(view.workspaceId), key, view.channelId);
  }

  private end(connection: SocketConnection): void {
    const view = this.views.get(connection);
    if (!view) return;
    this.views.delete(connection);
    this.hub.leave(connection, topics.viewers(view.conversationId));
    this.pageViewers.unfollow(connection, 'viewing');
    const key = keyOf(view);
    const left = (this.counts.get(key) ?? 1) - 1;
    if (left > 0) return void this.counts.set(key, left);
    this.counts.delete(key);
    this.store.leave(groups.groupFor(view.workspaceId), key);
  }

  private rescope({ payload: { member } }: RecordedEvent<'member.updated'>): void {
    for (const connection of this.hub.findSubscribers(topics.member(member.id))) {
      const view = this.views.get(connection);
      const { principal } = connection;
      if (!view || principal.kind !== 'agent') continue;
      if (!covers(narrow(member.channel_ids, principal.sessionScope), view.channelId)) this.end(connection);
    }
  }

  private onChange({ group, id: key, before, after }: PresenceChange): void {
    const workspaceId = groups.parseWorkspaceId(group);
    if (workspaceId === null) return;
    const channelId = after ?? before ?? '';
    const conversationId = conversationOf(key);
    if (![channelId, conversationId, memberOf(key)].every(isId)) return;
    const audience = [topics.inbox(workspaceId), topics.channel(channelId), topics.conversation(conversationId)];
    const subscribed = audience.filter(topic => this.hub.hasSubscribers(topic));
    if (subscribed.length === 0) return;
    const except = (connection: SocketConnection) => connection === this.requester && after !== undefined;
    this.hub.broadcast(subscribed, this.frameOf(workspaceId, channelId, conversationId), { ephemeral: true, except });
  }

  private frameOf(workspaceId: string, channelId: string, conversationId: string): SerializedFrame {
    const keys = [...this.store.listPresent(groups.groupFor(workspaceId)).keys()];
    const members = keys
      .filter(key => conversationOf(key) === conversationId)
      .map(memberOf)
      .filter(isId);
    const data = { conversation_id: conversationId, members: members.sort() };
    return ephemeralFrame('viewing.updated', data, { conversation_id: conversationId, channel_id: channelId });
  }
}

function conversationOf(key: string): string {
  return key.split(' ', 1)[0] ?? '';
}

function memberOf(key: string): string {
  return key.split(' ')[1] ?? '';
}

function missingId(): Error {
  const message = 'conversation_id must be the id of a conversation, or null';
  return new ValidationFailed({ details: [{ field: 'conversation_id', code: 'required', message }] });
}
