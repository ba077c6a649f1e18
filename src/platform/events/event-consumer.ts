import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import type { EventType } from '../../kernel/domain-event.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { safeUpperBound } from './safe-upper-bound.js';
import { EventTail } from './event-tail.js';
import type { LoggedEvent, ReadingPosition } from './reading-position.repository.js';
import { ReadingPositionRepository } from './reading-position.repository.js';

/** A unit of work is as short as this, for while it is open nobody reads the log beyond it. */
const PAGE_SIZE = 100;
/** So many events are looked over for one range; more where a single transaction, or an overtaking, spans more. */
const RANGE_SIZE = 1_000;
const INTERVAL_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

/** What durable readers are made of. */
@Injectable()
export class ConsumerDependencies {
  readonly lag: Gauge;

  constructor(
    readonly units: UnitOfWork,
    readonly positions: ReadingPositionRepository,
    readonly tail: EventTail,
    registry: Registry,
  ) {
    this.lag = new Gauge({
      name: 'event_reader_lag_seconds',
      help: 'The age of the oldest event that a durable reader of the log has not read; 0 when it has read all.',
      labelNames: ['reader'],
      registers: [registry],
    });
  }
}

/**
 * Makes something of every event of its types: each once, in order per conversation, and whatever becomes of this
 * process. The effect and the reader's position commit together; one instance reads at a time; what happened while none
 * was there is read by the first that comes. An event that cannot be dealt with is tried until it can.
 */
@Injectable()
export abstract class EventConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> = Promise.resolve();
  private failures = 0;
  private begun = false;
  private busy = false;
  /** Whether something has happened since it last began to read. */
  private woken = false;
  /** The age of the oldest unread event, when that was looked at. */
  private lag = { seconds: 0, at: performance.now() };
  private stopped = false;

  /** Of its row, for ever. */
  protected abstract readonly name: string;
  protected abstract readonly types: readonly EventType[];

  constructor(private readonly log: ConsumerDependencies) {}

  /** Part of a unit of work with the reader's position: it writes rows, and does nothing else. */
  protected abstract handle(events: readonly LoggedEvent[]): Promise<void>;

  onApplicationBootstrap(): void {
    const types = new Set<EventType>(this.types);
    this.log.tail.listen(event => {
      if (!types.has(event.type)) return;
      this.woken = true;
      if (!this.busy && this.failures === 0) this.schedule(0);
    });
    this.schedule(0);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.reading;
  }

  /** Reads to the log's end, unless another instance is about it. */
  async catchUp(): Promise<void> {
    const { positions, units } = this.log;
    if (!this.begun) await positions.register(this.name);
    this.begun = true;
    // looked at without a lock first: where nothing has happened, nothing is written
    while (!this.stopped && (await this.isBehind()) && (await units.run(() => this.step())));
  }

  /** Whether there is anything to read now. A log that was put back may not know the reader any more. */
  private async isBehind(): Promise<boolean> {
    const progress = await this.log.positions.findProgress(this.name);
    this.begun = progress !== null;
    this.lag = { seconds: progress?.lag ?? 0, at: performance.now() };
    this.log.lag.set({ reader: this.name }, this.lag.seconds);
    return progress?.behind ?? false;
  }

  /** @returns whether there may be more */
  private async step(): Promise<boolean> {
    const { positions } = this.log;
    const claimed = await positions.claim(this.name);
    const place = claimed && (await this.open(claimed));
    if (!place) return false;
    const found = await positions.findPage(place, this.types, PAGE_SIZE + 1);
    const events = found.slice(0, PAGE_SIZE);
    if (events.length > 0) await this.handle(events);
    const end = events.at(-1)?.position;
    const { horizon } = place;
    const next =
      found.length > PAGE_SIZE && end !== undefined
        ? { ...place, position: end }
        : { since: horizon, horizon, position: '0', passed: [] };
    await positions.savePosition(this.name, next);
    return true;
  }

  /** The range that is being read, or the next one; null when nothing has happened since. */
  private async open(place: ReadingPosition): Promise<ReadingPosition | null> {
    if (place.horizon !== place.since) return place;
    for (let size = RANGE_SIZE; ; size *= 4) {
      const { settled, bound, any, overtakings } = await this.log.positions.findAhead(place.since, size);
      const horizon = safeUpperBound(bound, overtakings);
      if (horizon > BigInt(place.since)) {
        return any ? { ...place, horizon: horizon.toString(), position: '0', passed: [] } : null;
      }
      if (bound === settled) return null;
    }
  }

  private schedule(pause: number): void {
    clearTimeout(this.timer);
    if (this.stopped) return;
    this.timer = setTimeout(() => void (this.reading = this.work()), pause).unref();
  }

  private async work(): Promise<void> {
    this.busy = true;
    this.woken = false;
    await this.catchUp().then(
      () => this.report(null),
      (error: unknown) => this.report(error),
    );
    this.busy = false;
    if (this.failures > 0) this.schedule(Math.min(LONGEST_PAUSE_MS, INTERVAL_MS * 2 ** this.failures));
    else this.schedule(this.woken ? 0 : INTERVAL_MS);
  }

  private report(error: unknown): void {
    const { seconds, at } = this.lag;
    if (error !== null) this.log.lag.set({ reader: this.name }, seconds + (performance.now() - at) / 1_000);
    if (error !== null) this.logger.warn(`the reader ${this.name} cannot go on: ${String(error)}`);
    else if (this.failures > 0) this.logger.log(`the reader ${this.name} goes on`);
    this.failures = error === null ? 0 : this.failures + 1;
  }
}
