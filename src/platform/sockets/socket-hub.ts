import { Injectable } from '@nestjs/common';
import type { CloseReason } from '../../kernel/close-codes.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import type { Outgoing, SocketConnection } from './socket-connection.js';
import { TextFrame } from './text-frame.js';

const SOCKETS_PER_PRINCIPAL = 20;
/** Longer than any handshake takes. */
const REMEMBERED_MS = 60_000;
const NOBODY: readonly SocketConnection[] = [];

/** Hears of each socket once that it has come, and once that it has gone: when it has closed, or is sent away. */
export interface HubObserver {
  joined(connection: SocketConnection): void;
  left(connection: SocketConnection): void;
}

/** The sockets of this instance, by the topics that they listen to. */
@Injectable()
export class SocketHub {
  private readonly topics = new Map<string, Set<SocketConnection>>();
  private readonly byPrincipal = new Map<string, Set<SocketConnection>>();
  /** By topic, what has been closed lately. */
  private readonly closings = new ExpiringMap<CloseReason>(REMEMBERED_MS, Infinity);
  private readonly observers: HubObserver[] = [];
  /** Also those that are closing, until their end. */
  readonly connections = new Set<SocketConnection>();

  /** To be called before the first socket comes. */
  observe(observer: HubObserver): void {
    this.observers.push(observer);
  }

  /**
   * Takes a connection in. Past 20 sockets of one principal the oldest gives way. One whose handshake began before one
   * of its topics was closed is closed like the others: what it was admitted by is over.
   */
  add(connection: SocketConnection): void {
    const key = connection.principalKey;
    const own = this.byPrincipal.get(key) ?? new Set();
    this.byPrincipal.set(key, own.add(connection));
    this.connections.add(connection);
    for (const topic of connection.admission.topics) this.join(connection, topic);
    for (const observer of this.observers) observer.joined(connection);
    const [oldest] = own;
    if (own.size > SOCKETS_PER_PRINCIPAL && oldest) this.evict(oldest, 'tooManySockets');
    this.applyRecentClosure(connection, connection.admission.topics, connection.handshakeStartedAt);
  }

  /**
   * Gives the connection another topic for one of its own: what it was admitted by is over, and something else holds.
   * @param since when that was asked, in the time of `performance.now()`: what has been closed meanwhile closes it too
   */
  exchange(connection: SocketConnection, from: string, to: string, since: number): void {
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

  /** Whether anybody here listens: what nobody hears is not serialised. */
  hasSubscribers(topic: string): boolean {
    return this.topics.has(topic);
  }

  /** Sends one frame to everyone in the topics, once to each, however many of them it is in. */
  broadcast(
    topics: readonly string[],
    said: Outgoing,
    { passing = false, except }: { passing?: boolean; except?: (connection: SocketConnection) => boolean } = {},
  ): void {
    const frame = typeof said === 'string' ? TextFrame.of(said) : said;
    for (const [index, topic] of topics.entries()) {
      for (const connection of this.topics.get(topic) ?? NOBODY) {
        if (index > 0 && isInOneOf(connection, topics, index)) continue;
        if (except?.(connection)) continue;
        connection.send(frame, passing);
      }
    }
  }

  /** Ends every socket in the topic. */
  close(topic: string, reason: CloseReason): void {
    this.closings.set(topic, performance.now(), reason);
    for (const connection of this.listeners(topic)) this.evict(connection, reason);
  }

  /** The sockets in the topic, at this moment. */
  listeners(topic: string): SocketConnection[] {
    return [...(this.topics.get(topic) ?? [])];
  }

  /** Takes the connection out of its topics at once, so that it hears nothing more, and closes its socket. */
  evict(connection: SocketConnection, reason: CloseReason): void {
    this.unsubscribeAll(connection);
    connection.close(reason);
  }

  private applyRecentClosure(connection: SocketConnection, topics: readonly string[], since: number): void {
    const closing = topics.map(topic => this.closings.get(topic)).find(noted => noted && noted.at >= since);
    if (closing) this.evict(connection, closing.value);
  }

  private unsubscribeAll(connection: SocketConnection): void {
    const key = connection.principalKey;
    const own = this.byPrincipal.get(key);
    const wasHere = own?.delete(connection) ?? false;
    if (own?.size === 0) this.byPrincipal.delete(key);
    for (const topic of [...connection.topics]) this.leave(connection, topic);
    if (wasHere) for (const observer of this.observers) observer.left(connection);
  }
}

/** Whether it is in one of the first so many topics, and has been told there. */
function isInOneOf(connection: SocketConnection, topics: readonly string[], first: number): boolean {
  for (let index = 0; index < first; index += 1) if (connection.topics.has(topics[index] ?? '')) return true;
  return false;
}
