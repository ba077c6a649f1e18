import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { InvalidData } from '../redis/invalid-data.js';
import type { FanoutListener } from './fanout.js';
import { Fanout } from './fanout.js';
import { MemoryFanout } from './fanout.memory.js';

const BEAT_MS = 1_000;
/** Silence after which a connection is taken for dead, although nobody has closed it. */
const DEAF_MS = 3_500;
const BEAT = '';
/** In characters. To parse a longer message would hold up everybody; whatever is longer is read where it is kept. */
const LONGEST = 4 * 1024 * 1024;

/** What travels: who sent it, of which subject, and the body. */
type Parcel = [from: string, subject: string, body?: unknown];

/**
 * The twin for many instances. This process hears its own messages through its memory, at once and whether or not Redis
 * is there; the others through one channel of Redis, in the order in which one publisher sent them. The channel is
 * named after the database number in the URL, so deployments that share a Redis take a number each.
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
  private nowListening!: () => void;
  /** Resolves when this instance hears the others for the first time, and they it: when it has heard itself. */
  readonly listening = new Promise<void>(resolve => (this.nowListening = resolve));

  constructor(
    private readonly publisher: Redis,
    private readonly invalid: Pick<InvalidData, 'record'>,
  ) {
    super();
    this.channel = `support-chat:${publisher.options.db ?? 0}:bus`;
    // ioredis would subscribe again by itself, and leave the rejection to nobody when that is cut off
    this.subscriber = publisher.duplicate({ autoResubscribe: false });
    this.subscriber.on('error', () => undefined);
    this.subscriber.on('close', () => (this.lastEchoAt = -Infinity));
    this.subscriber.on('message', (_channel: string, text: string) => this.receive(text));
    this.subscriber.on('ready', () => void this.listen().catch(() => undefined));
    this.timer = setInterval(() => this.watch(), BEAT_MS).unref();
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

  /** Whether it has lately heard itself by way of Redis: both connections carry, there and back. */
  healthy(): boolean {
    return this.subscriber.status === 'ready' && performance.now() - this.lastEchoAt < DEAF_MS;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    this.subscriber.disconnect();
    await this.local.close();
  }

  /** What does not arrive is in the log. */
  private send(parcel: Parcel): void {
    if (this.closed || this.publisher.status !== 'ready') return;
    try {
      const text = JSON.stringify(parcel);
      if (text.length > LONGEST) return;
      this.publisher.publish(this.channel, text).catch(() => undefined);
    } catch {
      // no JSON value; its listeners here have it as it is
    }
  }

  /** Anybody can publish on the channel. Never throws: nobody above this would catch it. */
  private receive(text: string): void {
    const parcel = readParcel(text);
    if (!parcel) return this.invalid.record('fanout', 'a message that no instance sends');
    const [from, subject, body] = parcel;
    if (from === this.id) {
      this.lastEchoAt = performance.now();
      this.nowListening();
    } else if (subject !== BEAT) {
      this.local.receive(subject, body, () => this.invalid.record('fanout', 'a message whose body its readers refuse'));
    }
  }

  /** @throws when the connection is cut off meanwhile; the next one begins here again */
  private async listen(): Promise<void> {
    this.connectedAt = performance.now();
    await this.subscriber.subscribe(this.channel);
    this.send([this.id, BEAT]);
  }

  private watch(): void {
    this.send([this.id, BEAT]);
    const quiet = performance.now() - Math.max(this.lastEchoAt, this.connectedAt);
    if (quiet > DEAF_MS && this.subscriber.status === 'ready') this.subscriber.disconnect(true);
  }
}

/** @returns null for what no instance of any version has sent */
function readParcel(text: string): Parcel | null {
  if (text.length > LONGEST) return null;
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
