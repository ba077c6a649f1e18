import { Injectable } from '@nestjs/common';
import type { CloseReason } from '../../kernel/close-codes.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import type { Outgoing, SocketConnection } from './socket-connection.js';
import { toFrame } from './socket-connection.js';

const SOCKETS_PER_PRINCIPAL = 20;
/** Longer than any handshake takes. */
const CLOSURE_WINDOW_MS = 60_000;
const NONE: readonly SocketConnection[] = [];

/** Called once when a socket joins the hub, and once when it leaves: when it closes or is evicted. */
export interface HubObserver {
  joined(connection: SocketConnection): void;
  left(connection: SocketConnection): void;
}

/** The open sockets of this instance, by topic and by principal. */
@Injectable()
export class SocketHub {
  private readonly topics = new Map<string, Set<SocketConnection>>();
  private readonly byPrincipal = new Map<string, Set<SocketConnection>>();
  /** By topic, the reason of a recent closure. */
  private readonly closings = new ExpiringMap<CloseReason>(CLOSURE_WINDOW_MS, Infinity);
  private readonly observers: HubObserver[] = [];
  /** Includes sockets that are closing, until they have closed. */
  readonly connections = new Set<SocketConnection>();

  /** Call it before the first socket opens. */
  observe(observer: HubObserver): void {
    this.observers.push(observer);
  }

  /**
   * Adds a connection and joins its topics. Beyond 20 sockets of one principal, the oldest is closed.
   *
   * A connection is closed if one of its topics was closed during its handshake, because the access that admitted it
   * has ended.
   */
  add(connection: SocketConnection): void {
    const key = connection.principalKey;
    const sockets = this.byPrincipal.get(key) ?? new Set();
    this.byPrincipal.set(key, sockets.add(connection));
    this.connections.add(connection);
    for (const topic of connection.admission.topics) this.join(connection, topic);
    for (const observer of this.observers) observer.joined(connection);
    const [oldest] = sockets;
    if (sockets.size > SOCKETS_PER_PRINCIPAL && oldest) this.evict(oldest, 'tooManySockets');
    this.applyRecentClosure(connection, connection.admission.topics, connection.handshakeStartedAt);
  }

  /**
   * Replaces one of the connection's topics, for example when a new token replaces the one that admitted it.
   * @param since when the check of the new topic began, in the time of `performance.now()`. If the topic was closed
   *   since then, the connection is closed too.
   */
  replaceTopic(connection: SocketConnection, from: string, to: string, since: number): void {
    if (from === to) return;
    this.leave(connection, from);
    this.join(connection, to);
    this.applyRecentClosure(connection, [to], since);
  }

  remove(connection: SocketConnection): void {
    this.unsubscribeAll(connection);
    this.connections.delete(connection);
  }

  join(connection: SocketConnection, topic: string): void {
    const members = this.topics.get(topic) ?? new Set();
    this.topics.set(topic, members.add(connection));
    connection.topics.add(topic);
  }

  leave(connection: SocketConnection, topic: string): void {
    const members = this.topics.get(topic);
    members?.delete(connection);
    if (members?.size === 0) this.topics.delete(topic);
    connection.topics.delete(topic);
  }

  /** Tells whether the topic has sockets here; frames without recipients are not serialized. */
  hasSubscribers(topic: string): boolean {
    return this.topics.has(topic);
  }

  /** Sends a frame to every socket in the topics, once to each even if it is in several. */
  broadcast(
    topics: readonly string[],
    outgoing: Outgoing,
    { ephemeral = false, except }: { ephemeral?: boolean; except?: (connection: SocketConnection) => boolean } = {},
  ): void {
    const frame = toFrame(outgoing);
    for (const [index, topic] of topics.entries()) {
      for (const connection of this.topics.get(topic) ?? NONE) {
        if (index > 0 && isInEarlierTopic(connection, topics, index)) continue;
        if (except?.(connection)) continue;
        connection.send(frame, ephemeral);
      }
    }
  }

  /** Closes every socket in the topic. */
  close(topic: string, reason: CloseReason): void {
    this.closings.set(topic, performance.now(), reason);
    for (const connection of this.findSubscribers(topic)) this.evict(connection, reason);
  }

  findSubscribers(topic: string): SocketConnection[] {
    return [...(this.topics.get(topic) ?? [])];
  }

  /** Removes the connection from its topics at once, so that it gets no more frames, and closes its socket. */
  evict(connection: SocketConnection, reason: CloseReason): void {
    this.unsubscribeAll(connection);
    connection.close(reason);
  }

  private applyRecentClosure(connection: SocketConnection, topics: readonly string[], since: number): void {
    const closing = topics.map(topic => this.closings.get(topic)).find(entry => entry && entry.at >= since);
    if (closing) this.evict(connection, closing.value);
  }

  private unsubscribeAll(connection: SocketConnection): void {
    const key = connection.principalKey;
    const sockets = this.byPrincipal.get(key);
    const wasPresent = sockets?.delete(connection) ?? false;
    if (sockets?.size === 0) this.byPrincipal.delete(key);
    for (const topic of [...connection.topics]) this.leave(connection, topic);
    if (wasPresent) for (const observer of this.observers) observer.left(connection);
  }
}

/** Tells whether the connection is in one of the topics before `end` and has already got the frame. */
function isInEarlierTopic(connection: SocketConnection, topics: readonly string[], end: number): boolean {
  for (let index = 0; index < end; index += 1) if (connection.topics.has(topics[index] ?? '')) return true;
  return false;
}
