import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { covers, narrow } from '../../kernel/channel-scope.js';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { Principal } from '../../kernel/principal.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import { EventTail } from '../../platform/events/event-tail.js';
import type { SocketConnection } from '../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import { inboxTopics, isInboxTopic, topics } from './topics.js';

/** Longer than any handshake takes, and longer than the log's reader lags behind the fast path. */
const REMEMBERED_MS = 60 * 60_000;

/**
 * Open sockets follow their member's scope: an inbox then holds the channels that are left to it, and the room of a
 * conversation that is out of scope closes. Handshake, `auth` and `member.updated` all go through `settle`, which is
 * synchronous and compares the topics that the socket has joined with those that its scope opens now. So the result
 * does not depend on the order in which they come.
 */
@Injectable()
export class RescopingService implements OnModuleInit {
  /** By member, what has lately become of its scope. */
  private readonly changes = new ExpiringMap<{ position: bigint; channels: ChannelScope }>(REMEMBERED_MS, Infinity);

  constructor(
    private readonly tail: EventTail,
    private readonly hub: SocketHub,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => {
      if (event.type === 'member.updated') this.follow(event as RecordedEvent<'member.updated'>);
    });
  }

  /** For a socket that has just opened. Its handshake may have read a scope that changed before it was in the hub. */
  catchUp(connection: SocketConnection): void {
    const change = this.changeSince(connection.handshakeStartedAt, connection.principal);
    if (change) this.apply(connection, change.channels);
  }

  /**
   * Gives the socket a principal that was read from the database. A change of the member's channels that arrived while
   * it was being read wins, for the read may have missed it.
   * @param askedAt when the read began, in the time of `performance.now()`
   */
  adopt(connection: SocketConnection, principal: Principal, askedAt: number): void {
    const change = this.changeSince(askedAt, principal);
    connection.admission = { ...connection.admission, principal };
    if (change) this.apply(connection, change.channels);
    else this.settle(connection);
  }

  private changeSince(time: number, principal: Principal): { channels: ChannelScope } | null {
    const change = principal.kind === 'agent' ? this.changes.get(principal.memberId) : undefined;
    return change && change.at >= time ? change.value : null;
  }

  /** Of two changes the later one holds, in whichever order they come. */
  private follow({ position, payload: { member, changed } }: RecordedEvent<'member.updated'>): void {
    const place = BigInt(position);
    if (!changed.includes('channel_ids') || place < (this.changes.get(member.id)?.value.position ?? 0n)) return;
    this.changes.set(member.id, performance.now(), { position: place, channels: member.channel_ids });
    for (const connection of this.hub.findSubscribers(topics.member(member.id))) this.apply(connection, member.channel_ids);
  }

  private apply(connection: SocketConnection, channels: ChannelScope): void {
    const { principal } = connection;
    if (principal.kind !== 'agent') return;
    const scope = narrow(channels, principal.sessionScope);
    connection.admission = { ...connection.admission, principal: { ...principal, scope } };
    this.settle(connection);
  }

  private settle(connection: SocketConnection): void {
    const { principal, channelId } = connection.admission;
    if (principal.kind !== 'agent' || connection.closedAt !== null) return;
    if (channelId !== null) {
      if (!covers(principal.scope, channelId)) this.hub.evict(connection, 'accessRevoked');
      return;
    }
    const wanted = new Set(inboxTopics(principal.workspaceId, principal.scope));
    const joined = [...connection.topics].filter(isInboxTopic);
    for (const topic of joined) if (!wanted.has(topic)) this.hub.leave(connection, topic);
    for (const topic of wanted) this.hub.join(connection, topic);
  }
}
