import { Injectable, OnModuleInit } from '@nestjs/common';
import { covers, narrow } from '../../../kernel/channel-scope.js';
import type { RecordedEvent } from '../../../kernel/domain-event.js';
import { NotFound, ValidationFailed } from '../../../kernel/errors.js';
import { isId } from '../../../kernel/ids.js';
import type { AgentPrincipal } from '../../../kernel/principal.js';
import { EventTail } from '../../../platform/events/event-tail.js';
import type { SerializedFrame } from '../../../kernel/serialized-frame.js';
import type { PresenceChange } from '../../../platform/presence/presence-change.js';
import { PresenceStore } from '../../../platform/presence/presence-store.js';
import { PresenceGroups } from '../../../platform/presence/presence-groups.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../../platform/sockets/socket-hub.js';
import { ConversationsService } from '../../conversations/index.js';
import { ephemeralFrame } from '../ephemeral-frames.js';
import { topics } from '../topics.js';

/** What a socket looks at. */
interface View {
  workspaceId: string;
  channelId: string;
  conversationId: string;
  memberId: string;
}

const rooms = new PresenceGroups('viewing');
const keyOf = ({ conversationId, memberId }: View) => `${conversationId} ${memberId}`;

/**
 * Who has which conversation before them, so that two agents see that they are about to answer the same person. A
 * socket looks at one at a time, until it looks at another, ends, or loses the sight of it.
 */
@Injectable()
export class ViewingService implements OnModuleInit {
  private readonly views = new Map<SocketConnection, View>();
  /** How many sockets of this instance look on behalf of a member. */
  private readonly counts = new Map<string, number>();
  /** Whoever asks is answered by itself. */
  private asking: SocketConnection | null = null;

  constructor(
    private readonly store: PresenceStore,
    private readonly hub: SocketHub,
    private readonly tail: EventTail,
    private readonly conversations: ConversationsService,
  ) {}

  onModuleInit(): void {
    this.store.listen(change => this.onChange(change));
    this.hub.observe({ joined: () => undefined, left: connection => this.end(connection) });
    this.tail.listen(event => {
      if (event.type === 'member.updated') this.rescope(event as RecordedEvent<'member.updated'>);
    });
  }

  /** The agent looks at this conversation from now on, null: at none; it is told who else does. @throws NotFound */
  async view(connection: SocketConnection, { conversation_id: id }: Record<string, unknown>): Promise<void> {
    if (id === null) return this.end(connection);
    if (typeof id !== 'string') throw missingId();
    const principal = connection.principal as AgentPrincipal;
    const conversation = isId(id) ? await this.conversations.findScope(principal, id) : null;
    if (!conversation) throw new NotFound();
    // it may have ended while that was read, or seen its scope cut
    if (connection.closedAt !== null || !this.hub.connections.has(connection)) return;
    const { workspaceId, channelId, id: conversationId } = conversation;
    if (!covers((connection.principal as AgentPrincipal).scope, channelId)) throw new NotFound();
    this.asking = connection;
    this.begin(connection, { workspaceId, channelId, conversationId, memberId: principal.memberId });
    this.asking = null;
    connection.send(this.frameOf(workspaceId, channelId, conversationId));
  }

  /** Tells an inbox that has just opened of the conversations at which somebody looks. */
  sendSnapshot(connection: SocketConnection): void {
    const { workspaceId, scope } = connection.principal as AgentPrincipal;
    const viewed = new Map<string, string>();
    for (const [place, channelId] of this.store.listPresent(rooms.groupFor(workspaceId))) {
      if (isId(conversationOf(place)) && covers(scope, channelId)) viewed.set(conversationOf(place), channelId);
    }
    for (const [id, channelId] of viewed) connection.send(this.frameOf(workspaceId, channelId, id), true);
  }

  private begin(connection: SocketConnection, view: View): void {
    const former = this.views.get(connection);
    if (former?.conversationId === view.conversationId) return;
    this.end(connection);
    this.views.set(connection, view);
    const place = keyOf(view);
    const count = this.counts.get(place) ?? 0;
    this.counts.set(place, count + 1);
    if (count === 0) this.store.enter(rooms.groupFor(view.workspaceId), place, view.channelId);
  }

  private end(connection: SocketConnection): void {
    const view = this.views.get(connection);
    if (!view) return;
    this.views.delete(connection);
    const place = keyOf(view);
    const left = (this.counts.get(place) ?? 1) - 1;
    if (left > 0) return void this.counts.set(place, left);
    this.counts.delete(place);
    this.store.leave(rooms.groupFor(view.workspaceId), place);
  }

  private rescope({ payload: { member } }: RecordedEvent<'member.updated'>): void {
    for (const connection of this.hub.findSubscribers(topics.member(member.id))) {
      const view = this.views.get(connection);
      const { principal } = connection;
      if (!view || principal.kind !== 'agent') continue;
      if (!covers(narrow(member.channel_ids, principal.sessionScope), view.channelId)) this.end(connection);
    }
  }

  private onChange({ group: room, id: who, before, after }: PresenceChange): void {
    const workspaceId = rooms.parseWorkspaceId(room);
    if (workspaceId === null) return;
    const channelId = after ?? before ?? '';
    const conversationId = conversationOf(who);
    if (![channelId, conversationId, memberOf(who)].every(isId)) return;
    const audience = [topics.inbox(workspaceId), topics.channel(channelId), topics.conversation(conversationId)];
    const heard = audience.filter(topic => this.hub.hasSubscribers(topic));
    if (heard.length === 0) return;
    const except = (connection: SocketConnection) => connection === this.asking && after !== undefined;
    this.hub.broadcast(heard, this.frameOf(workspaceId, channelId, conversationId), { ephemeral: true, except });
  }

  private frameOf(workspaceId: string, channelId: string, conversationId: string): SerializedFrame {
    const places = [...this.store.listPresent(rooms.groupFor(workspaceId)).keys()];
    const members = places
      .filter(place => conversationOf(place) === conversationId)
      .map(memberOf)
      .filter(isId);
    const data = { conversation_id: conversationId, members: members.sort() };
    return ephemeralFrame('viewing.updated', data, { conversation_id: conversationId, channel_id: channelId });
  }
}

function conversationOf(place: string): string {
  return place.split(' ', 1)[0] ?? '';
}

function memberOf(place: string): string {
  return place.split(' ')[1] ?? '';
}

function missingId(): Error {
  const message = 'conversation_id must be the id of a conversation, or null';
  return new ValidationFailed({ details: [{ field: 'conversation_id', code: 'required', message }] });
}
