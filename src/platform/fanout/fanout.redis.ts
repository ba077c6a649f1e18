import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { InvalidDataService } from '../redis/invalid-data.service.js';
import type { FanoutListener } from './fanout.js';
import { Fanout } from './fanout.js';
import { MemoryFanout } from './fanout.memory.js';

const HEARTBEAT_MS = 1_000;
/** Silence after which an open connection counts as dead. */
const SILENCE_MS = 3_500;
/** Subject of heartbeats. */
const HEARTBEAT = '';
/** Longer messages are dropped, because parsing them would block the process; their data is read from the database. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** The message format on the channel: sender, subject and body. */
type Envelope = [from: string, subject: string, body?: unknown];

/**
 * Fanout for several instances. It delivers to this process from memory, at once and also without Redis, and to the
 * other instances through one Redis channel, in the order of each publisher. The channel name contains the database
 * number of the URL, so deployments that share a Redis need a number each.
 */
export class RedisFanout extends Fanout {
  readonly kind = 'redis';
  private readonly id = randomUUID();
  private readonly local = new MemoryFanout();
  private readonly subscriber: Redis;
  private readonly channel: string;
  private readonly timer: NodeJS.Timeout;
  private lastEchoAt = -Infinity;
  private connectedAt = -Infinity;
  private closed = false;
  private resolveListening!: () => void;
  /** Resolves once messages flow in both directions, that is when the first own message has come back. */
  readonly listening = new Promise<void>(resolve => (this.resolveListening = resolve));

  constructor(
    private readonly publisher: Redis,
    private readonly invalid: Pick<InvalidDataService, 'record'>,
  ) {
    super();
    this.channel = `support-chat:${publisher.options.db ?? 0}:bus`;
    // ioredis's own resubscription causes an unhandled rejection when the connection is lost meanwhile
    this.subscriber = publisher.duplicate({ autoResubscribe: false });
    this.subscriber.on('error', () => undefined);
    this.subscriber.on('close', () => (this.lastEchoAt = -Infinity));
    this.subscriber.on('message', (_channel: string, text: string) => this.receive(text));
    this.subscriber.on('ready', () => void this.listen().catch(() => undefined));
    this.timer = setInterval(() => this.checkConnection(), HEARTBEAT_MS).unref();
  }

  publish(subject: string, body: unknown): void {
    this.local.publish(subject, body);
    this.send([this.id, subject, body]);
  }

  subscribe<Body>(
    subject: string,
    isBody: (body: unknown) => body is Body,
    listener: FanoutListener<Body>,
  ): () => void {
    return this.local.subscribe(subject, isBody, listener);
  }

  /** True when a recent heartbeat came back through Redis, so both connections work. */
  healthy(): boolean {
    return this.subscriber.status === 'ready' && performance.now() - this.lastEchoAt < SILENCE_MS;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    this.subscriber.disconnect();
    await this.local.close();
  }

  /** Sends without a guarantee: other instances read lost events from the event log. */
  private send(envelope: Envelope): void {
    if (this.closed || this.publisher.status !== 'ready') return;
    try {
      const text = JSON.stringify(envelope);
      if (text.length > MAX_CHARACTERS) return;
      this.publisher.publish(this.channel, text).catch(() => undefined);
    } catch {
      // not a JSON value; local listeners have received it anyway
    }
  }

  /**
   * Handles a message from the channel, where any client of Redis can publish. Never throws: no caller would catch it.
   */
  private receive(text: string): void {
    const envelope = parseEnvelope(text);
    if (!envelope) return this.invalid.record('fanout', 'a message that no instance sends');
    const [from, subject, body] = envelope;
    if (from === this.id) {
      this.lastEchoAt = performance.now();
      this.resolveListening();
    } else if (subject !== HEARTBEAT) {
      this.local.receive(subject, body, () => this.invalid.record('fanout', 'a message whose body its readers refuse'));
    }
  }

  /** Subscribes to the channel. @throws Error when the connection is lost meanwhile; the next connection tries again */
  private async listen(): Promise<void> {
    this.connectedAt = performance.now();
    await this.subscriber.subscribe(this.channel);
    this.send([this.id, HEARTBEAT]);
  }

  private checkConnection(): void {
    this.send([this.id, HEARTBEAT]);
    const silentMs = performance.now() - Math.max(this.lastEchoAt, this.connectedAt);
    if (silentMs > SILENCE_MS && this.subscriber.status === 'ready') this.subscriber.disconnect(true);
  }
}

/** @returns null for a text that no version of the service sends */
function parseEnvelope(text: string): Envelope | null {
  if (text.length > MAX_CHARACTERS) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(parsed)) return null;
  const [from, subject, body] = parsed as unknown[];
  return typeof from === 'string' && typeof subject === 'string' ? [from, subject, body] : null;
}
