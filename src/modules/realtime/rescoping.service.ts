import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { covers, narrow } from '../../kernel/channel-scope.js';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { Recently } from '../../kernel/recently.js';
import { EventTail } from '../../platform/events/event-tail.js';
import type { SocketConnection } from '../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import { inboxTopics, topics } from './topics.js';

/** Longer than any handshake takes. */
const REMEMBERED_MS = 60_000;

/**
 * Open sockets follow their member's scope: an inbox then holds the channels that are left to it, and the room of a
 * conversation that has gone out of sight closes.
 */
@Injectable()
export class RescopingService implements OnModuleInit {
  /** By member, what has lately become of its scope. */
  private readonly changes = new Recently<{ position: bigint; channels: ChannelScope }>(REMEMBERED_MS, Infinity);

  constructor(
    private readonly tail: EventTail,
    private readonly hub: SocketHub,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => {
      if (event.type === 'member.updated') this.follow(event as RecordedEvent<'member.updated'>);
    });
  }

  /** For a socket that has just opened: its handshake may have read a scope that was changed before it came in. */
  catchUp(connection: SocketConnection): void {
    const { principal } = connection;
    const change = principal.kind === 'agent' ? this.changes.of(principal.memberId) : undefined;
    if (change && change.at >= connection.askedAt) this.apply(connection, change.value.channels);
  }

  /** Of two changes the later one holds, in whichever order they come. */
  private follow({ position, payload: { member, changed } }: RecordedEvent<'member.updated'>): void {
    const place = BigInt(position);
    if (!changed.includes('channel_ids') || place < (this.changes.of(member.id)?.value.position ?? 0n)) return;
    this.changes.note(member.id, performance.now(), { position: place, channels: member.channel_ids });
    for (const connection of this.hub.listeners(topics.member(member.id))) this.apply(connection, member.channel_ids);
  }

  private apply(connection: SocketConnection, channels: ChannelScope): void {
    const { principal, channelId } = connection.admission;
    if (principal.kind !== 'agent') return;
    const scope = narrow(channels, principal.sessionScope);
    connection.admission = { ...connection.admission, principal: { ...principal, scope } };
    if (channelId !== null) {
      if (!covers(scope, channelId)) this.hub.evict(connection, 'accessRevoked');
      return;
    }
    const old = new Set(inboxTopics(principal.workspaceId, principal.scope));
    const next = new Set(inboxTopics(principal.workspaceId, scope));
    for (const topic of old) if (!next.has(topic)) this.hub.leave(connection, topic);
    for (const topic of next) if (!old.has(topic)) this.hub.join(connection, topic);
  }
}
