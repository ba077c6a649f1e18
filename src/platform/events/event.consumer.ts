import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { safeUpperBound } from './safe-upper-bound.js';
import { EventTailJob } from './event-tail.job.js';
import type { EventRange, LoggedEvent, ReadingPosition } from './reading-position.repository.js';
import { ReadingPositionRepository } from './reading-position.repository.js';

/** Events per unit of work. Short, because no consumer can read past an open transaction. */
const PAGE_SIZE = 100;
/** Events scanned for one range. More where one transaction, or an out-of-order pair, spans more. */
const RANGE_SIZE = 4_000;
const INTERVAL_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

/** The dependencies of `EventConsumer`, so that subclasses inject one. */
@Injectable()
export class ConsumerDependencies {
  readonly lag: Gauge;

  constructor(
    readonly units: UnitOfWork,
    readonly positions: ReadingPositionRepository,
    readonly tail: EventTailJob,
    registry: Registry,
  ) {
    this.lag = new Gauge({
      name: 'event_reader_lag_seconds',
      help: 'Age of the oldest event that an event consumer has not read; 0 when it has read all.',
      labelNames: ['reader'],
      registers: [registry],
    });
  }
}

/**
 * Handles every event of its types exactly once and in order per conversation, even across crashes. The effect and the
 * consumer's position commit in one transaction, and one instance reads at a time.
 *
 * Events recorded while no instance ran are handled later. An event that fails is retried until it succeeds.
 */
@Injectable()
export abstract class EventConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> = Promise.resolve();
  private failures = 0;
  private registered = false;
  private busy = false;
  /** Milliseconds until the read that events since the last one want; undefined if there were none. */
  private wakeMs: number | undefined;
  /** The age of the oldest unread event at the time `at`. */
  private lag = { seconds: 0, at: performance.now() };
  /** The end of the pause after the last step. */
  private pausedUntil = 0;
  private stopped = false;
  private readonly stopping = new AbortController();

  /** The name of its row in `event_reader`. It must never change. */
  abstract readonly name: string;
  protected abstract readonly types: readonly EventType[];
  /**
   * SQL on the columns of `event`. Events of the types that do not match are skipped in the database. null loads none,
   * for a consumer that only reads ranges.
   */
  protected readonly condition: string | null = 'true';
  /** True if `handle` reads a range itself, so that it also runs for one without loaded events. */
  protected readonly readsRanges: boolean = false;
  /** True if a new consumer skips what is in the log already. */
  protected readonly beginsAtEnd: boolean = false;
  /** Milliseconds between a commit and the read, so that the events of many commits share one. */
  protected readonly batchMs: number = 0;
  /** Events scanned for one unit of work, about. Fewer for a consumer that takes long for each. */
  protected readonly rangeSize: number = RANGE_SIZE;
  /**
   * The share of the time, above 0, in which the consumer works while there is much to read. A consumer whose effect can
   * wait then falls behind instead of slowing down requests.
   */
  protected readonly share: number = 1;

  constructor(private readonly log: ConsumerDependencies) {}

  /**
   * Runs in the unit of work that saves the consumer's position. It must only write rows, with no other side effects.
   */
  protected abstract handle(events: readonly LoggedEvent[], range: EventRange): Promise<void>;

  /** Milliseconds between the commit of this event and the read. Overrides `batchMs` where few events have an effect. */
  protected batchMsOf(_event: RecordedEvent): number {
    return this.batchMs;
  }

  /** A consumer that begins at the log's end does so before the instance takes requests. */
  async onApplicationBootstrap(): Promise<void> {
    const types = new Set<EventType>(this.types);
    this.log.tail.listen(event => {
      if (types.has(event.type)) this.wakeIn(this.batchMsOf(event));
    });
    if (this.beginsAtEnd) await this.register().catch((error: unknown) => this.report(error));
    this.schedule(0);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.reading;
  }

  /**
   * Reads to what was the log's end during the call; a consumer would otherwise never end its batch under load. Returns
   * at once while another instance reads.
   */
  async catchUp(): Promise<void> {
    const { units } = this.log;
    if (!this.registered) await this.register();
    // checks without a lock first, so that an idle consumer writes nothing
    while (!this.stopped && (await this.isBehind()) && (await this.paced(() => units.run(() => this.step()))));
  }

  /** Waits until the pause after the last step is over, so that steps take no more than the consumer's share of the time. */
  private async paced(step: () => Promise<boolean>): Promise<boolean> {
    const pause = this.pausedUntil - performance.now();
    if (pause > 0) await delay(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    if (this.stopped) return false;
    const begun = performance.now();
    try {
      return await step();
    } finally {
      const ended = performance.now();
      this.pausedUntil = ended + Math.min(MAX_PAUSE_MS, (ended - begun) * (1 / this.share - 1));
    }
  }

  private async register(): Promise<void> {
    await this.log.positions.register(this.name, this.beginsAtEnd);
    this.registered = true;
  }

  /** Tells whether there are unread events. Also registers the consumer again after a restore removed its row. */
  private async isBehind(): Promise<boolean> {
    const progress = await this.log.positions.findProgress(this.name);
    this.registered = progress !== null;
    this.lag = { seconds: progress?.lag ?? 0, at: performance.now() };
    this.log.lag.set({ reader: this.name }, this.lag.seconds);
    return progress?.behind ?? false;
  }

  /** Handles one page of events. @returns true unless it reached the end of the log */
  private async step(): Promise<boolean> {
    const { types, condition } = this;
    const { positions } = this.log;
    const claimed = await positions.claim(this.name);
    const opened = claimed && (await this.openRange(claimed));
    if (!opened) return false;
    const { position, isLast } = opened;
    const found = condition === null ? [] : await positions.findPage(position, { types, condition }, PAGE_SIZE + 1);
    const events = found.slice(0, PAGE_SIZE);
    const end = found.length > PAGE_SIZE ? (events.at(-1)?.position ?? null) : null;
    if (events.length > 0 || this.readsRanges) await this.handle(events, { ...position, end });
    const { horizon } = position;
    const next = end !== null ? { ...position, position: end } : { since: horizon, horizon, position: '0', passed: [] };
    await positions.savePosition(this.name, next);
    return end !== null || !isLast;
  }

  /**
   * @returns the current range, or the next one, and whether it reaches the log's end; null when there are no new events
   */
  private async openRange(current: ReadingPosition): Promise<{ position: ReadingPosition; isLast: boolean } | null> {
    if (current.horizon !== current.since) return { position: current, isLast: false };
    for (let size = this.rangeSize; ; size *= 4) {
      const { settled, bound, hasEvents, outOfOrder } = await this.log.positions.findAhead(current.since, size);
      const horizon = safeUpperBound(bound, outOfOrder);
      // without events below the bound, one transaction at the bound has more than `size`
      if (hasEvents && horizon > BigInt(current.since)) {
        const next = { ...current, horizon: horizon.toString(), position: '0', passed: [] };
        return { position: next, isLast: horizon === settled };
      }
      if (bound === settled) return null;
    }
  }

  private wakeIn(ms: number): void {
    if (this.wakeMs !== undefined && this.wakeMs <= ms) return;
    this.wakeMs = ms;
    if (!this.busy && this.failures === 0) this.schedule(ms);
  }

  private schedule(pause: number): void {
    clearTimeout(this.timer);
    if (this.stopped) return;
    this.timer = setTimeout(() => void (this.reading = this.work()), pause).unref();
  }

  private async work(): Promise<void> {
    this.busy = true;
    this.wakeMs = undefined;
    await this.catchUp().then(
      () => this.report(null),
      (error: unknown) => this.report(error),
    );
    this.busy = false;
    if (this.failures > 0) this.schedule(Math.min(MAX_PAUSE_MS, INTERVAL_MS * 2 ** this.failures));
    else this.schedule(this.wakeMs ?? INTERVAL_MS);
  }

  private report(error: unknown): void {
    const { seconds, at } = this.lag;
    if (error !== null) this.log.lag.set({ reader: this.name }, seconds + (performance.now() - at) / 1_000);
    if (error !== null) this.logger.warn(`the event consumer ${this.name} has failed and retries: ${String(error)}`);
    else if (this.failures > 0) this.logger.log(`the event consumer ${this.name} has recovered`);
    this.failures = error === null ? 0 : this.failures + 1;
  }
}
