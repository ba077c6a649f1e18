import { createHash } from 'node:crypto';
import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import { Fanout } from '../fanout/fanout.js';
import { InvalidDataService } from '../redis/invalid-data.service.js';
import { isCommittedEvent } from './committed-event.js';
import { EarlyEvents } from './early-events.js';
import { EpochRepository } from './epoch.repository.js';
import { COMMITTED_EVENTS } from './event-log.service.js';
import { EventTailRepository, newestOf } from './event-tail.repository.js';
import type { AppendedEvent } from './event.repository.js';
import { WatermarkLag } from './watermark-lag.js';
import type { LogCursor } from './log-cursor.js';
import { encodeLogCursor, NO_EVENT } from './log-cursor.js';
import type { NewestEvent } from './watermark.js';
import { isProved, newerOf, Watermark } from './watermark.js';

export type EventListener = (event: RecordedEvent) => void;

/** Short enough that revoked sockets close within a second even if the fanout loses the event. */
const INTERVAL_MS = 250;
/** Listener errors are logged once per event type and window. */
const FAULT_EVERY_MS = 10_000;

/**
 * Delivers every committed event to this instance exactly once, in order per conversation: at once through the fanout,
 * and from the log where the fanout lost it.
 *
 * Each read of the log is one snapshot, and events that the previous one did not show are new; so an open transaction
 * delays only its own events. Each event names its predecessor in the conversation. An event that arrives first waits
 * for its predecessor, or for the log to bring both.
 */
@Injectable()
export class EventTailJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(EventTailJob.name);
  private readonly listeners: EventListener[] = [];
  private readonly early = new EarlyEvents();
  private readonly faults = new ExpiringMap(FAULT_EVERY_MS, 100);
  private watermark = new Watermark({ xid: 0n, ...NO_EVENT }, []);
  /** The newest event delivered here, including events from the fanout. */
  private newest: NewestEvent = this.watermark.newest;
  /** The newest event that this instance committed. */
  private committedHere: NewestEvent = this.watermark.newest;
  /** The hashed identity of the log, as cursors contain it. */
  identity = '';
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> = Promise.resolve();
  /** True while the log cannot be read. */
  private failing = false;
  private stopped = false;
  private readonly epochListeners: (() => void)[] = [];
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly log: EventTailRepository,
    private readonly epochs: EpochRepository,
    private readonly lag: WatermarkLag,
    private readonly fanout: Fanout,
    private readonly invalid: InvalidDataService,
  ) {}

  /** This instance's position in the log. Everything before it has been delivered here. */
  get position(): LogCursor & { newest: NewestEvent } {
    return { identity: this.identity, since: this.watermark.low.toString(), newest: this.newest, range: null };
  }

  /** `position` as an opaque cursor for clients. */
  get cursor(): string {
    return encodeLogCursor(this.position);
  }

  listen(listener: EventListener): void {
    this.listeners.push(listener);
  }

  /** Calls the listener when the log was replaced: earlier events may be missing and old cursors are invalid. */
  onNewEpoch(listener: () => void): void {
    this.epochListeners.push(listener);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.begin();
    this.unsubscribe = this.fanout.subscribe(COMMITTED_EVENTS, isCommittedEvent, (event, isOwn) => {
      this.receive(event, isOwn);
    });
    this.schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.unsubscribe();
    await this.reading;
  }

  /** Reads the log up to now in pages and delivers the events that have not been delivered. */
  catchUp(): Promise<void> {
    const read = this.reading.then(() => this.read());
    this.reading = read.catch(() => undefined);
    return read;
  }

  private async read(): Promise<void> {
    this.early.beginRead();
    const { watermark } = this;
    // The database may have lost what it committed since the last read, and clients may have received it. What others
    // sent proves nothing: an instance that committed it looks for it itself.
    const known = this.failing ? newerOf(this.committedHere, watermark.newest) : watermark.newest;
    const state = await this.log.look(watermark, known);
    const { snapshot, identity, proof, pruned } = state;
    if (hashIdentity(identity) !== this.identity) return this.restart('the event log was replaced by another one');
    if (!isProved(known, known.xid + 1n, proof, pruned)) {
      await this.epochs.renewIdentity(identity);
      return this.restart('the event log was restored to an earlier state');
    }
    this.lag.update(snapshot);
    let { newest } = watermark;
    for await (const keys of this.log.keys(watermark, state)) {
      for await (const events of this.log.read(keys.filter(key => !this.isDelivered(key)))) {
        for (const event of events) if (!this.isDelivered(event)) this.deliverInOrder(event);
        if (this.stopped) return;
      }
      newest = keys.map(newestOf).reduce(newerOf, newest);
    }
    this.advanceWatermark(new Watermark(newest, snapshot.open));
  }

  private advanceWatermark(watermark: Watermark): void {
    this.watermark = watermark;
    this.newest = newerOf(this.newest, watermark.newest);
    const unknown = this.early.endRead(watermark);
    if (unknown === 0) return;
    for (let count = 0; count < unknown; count += 1)
      this.invalid.record('events', 'an event that the log does not have');
    this.newest = watermark.newest;
  }

  private async begin(): Promise<void> {
    if (await this.epochs.adoptMovedLog())
      this.logger.warn('the event log comes from another database: a new epoch begins');
    const { identity, watermark } = await this.log.begin();
    this.identity = hashIdentity(identity);
    this.watermark = watermark;
    this.newest = watermark.newest;
    this.committedHere = watermark.newest;
    this.early.clear();
  }

  /** Starts a new epoch after a restore or a failover replaced the log. */
  private async restart(cause: string): Promise<void> {
    await this.begin();
    this.logger.warn(`${cause}: a new epoch begins, clients are told to read the current state`);
    for (const listener of this.epochListeners) listener();
  }

  private receive(event: AppendedEvent, isOwn: boolean): void {
    if (isOwn) this.committedHere = newerOf(this.committedHere, newestOf(event));
    if (this.isDelivered(event) || this.early.isFull) return;
    if (event.previous && !this.isDelivered(event.previous)) this.early.addWaiting(event, event.previous.id);
    else this.deliverInOrder(event);
  }

  private isDelivered({ id, xid }: { id: string; xid: string | bigint }): boolean {
    return this.early.isDelivered(id) || this.watermark.covers(BigInt(xid));
  }

  /** Delivers the event and the events that waited for it. */
  private deliverInOrder(event: RecordedEvent): void {
    let next: RecordedEvent | undefined = event;
    while (next) {
      const { id }: RecordedEvent = next;
      this.early.addDelivered(next);
      this.newest = newerOf(this.newest, newestOf(next));
      this.deliver(next);
      next = this.early.takeFollowing(id);
    }
  }

  private deliver(event: RecordedEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        if (this.faults.addIfAbsent(event.type, new Date())) this.logger.error(error);
      }
    }
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      void this.catchUp()
        .then(() => this.report(null))
        .catch((error: unknown) => this.report(error))
        .finally(() => this.schedule());
    }, INTERVAL_MS);
    this.timer.unref();
  }

  private report(error: unknown): void {
    if (error !== null && !this.failing) this.logger.warn(`the event log cannot be read: ${String(error)}`);
    if (error === null && this.failing) this.logger.log('the event log can be read again');
    this.failing = error !== null;
  }
}

/** @returns the identity as cursors contain it */
function hashIdentity(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, 16);
}
