import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { covers, narrow } from '../../kernel/channel-scope.js';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { Principal } from '../../kernel/principal.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import { EventTailJob } from '../../platform/events/event-tail.job.js';
import type { SocketConnection } from '../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import { inboxTopics, isInboxTopic, topics } from './topics.js';

/** Longer than any handshake takes, and longer than the log lags behind the fanout. */
const CHANGE_WINDOW_MS = 60 * 60_000;

/**
 * Applies changes of a member's scope to its open sockets: an inbox joins and leaves channel topics, and the socket of
 * a conversation out of scope is closed.
 *
 * Handshake, `auth` and `member.updated` all call `syncTopics`, which is synchronous and derives the topics from the
 * current scope. The result therefore does not depend on their order.
 */
@Injectable()
export class RescopingService implements OnModuleInit {
  /** Recent scope changes, by member. */
  private readonly changes = new ExpiringMap<{ position: bigint; channels: ChannelScope }>(CHANGE_WINDOW_MS, Infinity);

  constructor(
    private readonly tail: EventTailJob,
    private readonly hub: SocketHub,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => {
      if (event.type === 'member.updated') this.recordChange(event as RecordedEvent<'member.updated'>);
    });
  }

  /** Applies a scope change that arrived during the handshake of a socket that has just opened. */
  applyMissedChange(connection: SocketConnection): void {
    const change = this.changeSince(connection.handshakeStartedAt, connection.principal);
    if (change) this.applyChannels(connection, change.channels);
  }

  /**
   * Replaces the socket's principal by one read from the database. A scope change that arrived after the read began
   * wins, because the read may have missed it.
   * @param startedAt when the read began, in the time of `performance.now()`
   */
  replacePrincipal(connection: SocketConnection, principal: Principal, startedAt: number): void {
    const change = this.changeSince(startedAt, principal);
    connection.admission = { ...connection.admission, principal };
    if (change) this.applyChannels(connection, change.channels);
    else this.syncTopics(connection);
  }

  private changeSince(time: number, principal: Principal): { channels: ChannelScope } | null {
    const change = principal.kind === 'agent' ? this.changes.get(principal.memberId) : undefined;
    return change && change.at >= time ? change.value : null;
  }

  /** Ignores a change that is older in the log than the last one, because events can arrive out of order. */
  private recordChange({ position, payload: { member, changed } }: RecordedEvent<'member.updated'>): void {
    const at = BigInt(position);
    if (!changed.includes('channel_ids') || at < (this.changes.get(member.id)?.value.position ?? 0n)) return;
    this.changes.set(member.id, performance.now(), { position: at, channels: member.channel_ids });
    for (const connection of this.hub.findSubscribers(topics.member(member.id)))
      this.applyChannels(connection, member.channel_ids);
  }

  private applyChannels(connection: SocketConnection, channels: ChannelScope): void {
    const { principal } = connection;
    if (principal.kind !== 'agent') return;
    const scope = narrow(channels, principal.sessionScope);
    connection.admission = { ...connection.admission, principal: { ...principal, scope } };
    this.syncTopics(connection);
  }

  private syncTopics(connection: SocketConnection): void {
    const { principal, channelId } = connection.admission;
    if (principal.kind !== 'agent' || connection.closedAt !== null) return;
    if (channelId !== null) {
      if (!covers(principal.scope, channelId)) this.hub.evict(connection, 'accessRevoked');
      return;
    }
    const allowed = new Set(inboxTopics(principal.workspaceId, principal.scope));
    const joined = [...connection.topics].filter(isInboxTopic);
    for (const topic of joined) if (!allowed.has(topic)) this.hub.leave(connection, topic);
    for (const topic of allowed) this.hub.join(connection, topic);
  }
}
