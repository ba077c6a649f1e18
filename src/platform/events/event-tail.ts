import { createHash } from 'node:crypto';
import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { Fanout } from '../fanout/fanout.js';
import { COMMITTED_EVENTS } from './event-log.js';
import type { AppendedEvent } from './event.repository.js';
import { EpochRepository } from './epoch.repository.js';
import { EventReadingRepository } from './event-reading.repository.js';
import { HorizonAge } from './horizon-age.js';
import { encodeLogCursor } from './log-cursor.js';

export type EventListener = (event: RecordedEvent) => void;

/** Sockets close within a second of what ends them, also where the log alone tells of it: so it is read in time. */
const INTERVAL_MS = 250;

/**
 * Brings every committed event to this instance exactly once: at once through the fanout, and, for whatever the fanout
 * lost, by reading the log. The log is read behind the horizon, the oldest transaction still open in the cluster:
 * before it nothing can appear any more, so an event can be late but not missed.
 *
 * In order per conversation, too: each event names the one before it, and one that comes before its turn waits for
 * that one, or for the log to bring both.
 */
@Injectable()
export class EventTail implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(EventTail.name);
  private readonly listeners: EventListener[] = [];
  /** Events that came by the fanout and that the log's reader has still to pass. */
  private readonly delivered = new Map<string, bigint>();
  /** Events that came before their turn, by the id of the one that they wait for. */
  private readonly waiting = new Map<string, AppendedEvent>();
  private horizon = '0';
  /** Of the log, as cursors carry it. */
  identity = '';
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> = Promise.resolve();
  private failing = false;
  private stopped = false;
  private readonly epochListeners: (() => void)[] = [];
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly events: EventReadingRepository,
    private readonly epochs: EpochRepository,
    private readonly age: HorizonAge,
    private readonly fanout: Fanout,
  ) {}

  /** Where this instance is in the log: everything before it has been delivered here. Opaque to clients. */
  get cursor(): string {
    return encodeLogCursor({ identity: this.identity, since: this.horizon, range: null });
  }

  listen(listener: EventListener): void {
    this.listeners.push(listener);
  }

  /** Called when the log has become another one: what was heard before may not be in it, and its cursors are none. */
  onNewEpoch(listener: () => void): void {
    this.epochListeners.push(listener);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.begin();
    this.unsubscribe = this.fanout.subscribe(COMMITTED_EVENTS, body => this.offer(body as AppendedEvent));
    this.schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.unsubscribe();
    await this.reading;
  }

  /** Reads the log up to the present horizon, a page at a time, and delivers what has not come before. */
  async catchUp(): Promise<void> {
    const range = await this.events.settledSince(this.horizon);
    if (nameOf(range.identity) !== this.identity) return this.beginAgain();
    this.age.note(range);
    for await (const events of this.events.read(range, [...this.delivered.keys()])) {
      for (const event of events) if (!this.hasPassed(event)) this.pass(event);
      if (this.stopped) return;
    }
    const passed = BigInt(range.horizon);
    if (passed <= BigInt(this.horizon)) return;
    this.horizon = range.horizon;
    for (const [id, xid] of this.delivered) if (xid < passed) this.delivered.delete(id);
    for (const [id, event] of this.waiting) if (this.hasPassed(event)) this.waiting.delete(id);
  }

  private async begin(): Promise<void> {
    if (await this.epochs.moveIn()) this.logger.warn('the event log comes from another database: a new epoch begins');
    const { horizon, identity } = await this.events.standpoint();
    this.identity = nameOf(identity);
    this.horizon = horizon;
  }

  /** The database is another one than a moment ago: restored, or taken over by what was its copy. */
  private async beginAgain(): Promise<void> {
    await this.begin();
    this.delivered.clear();
    this.waiting.clear();
    this.logger.warn('the event log is another one than before: clients are told to read the present state');
    for (const listener of this.epochListeners) listener();
  }

  private offer(event: AppendedEvent): void {
    if (this.hasPassed(event)) return;
    if (event.previous && !this.hasPassed(event.previous)) this.waiting.set(event.previous.id, event);
    else this.pass(event);
  }

  private hasPassed({ id, xid }: Pick<RecordedEvent, 'id' | 'xid'>): boolean {
    return this.delivered.has(id) || BigInt(xid) < BigInt(this.horizon);
  }

  /** Delivers the event, and those that have waited for it. */
  private pass(event: RecordedEvent): void {
    let next: RecordedEvent | undefined = event;
    while (next) {
      this.delivered.set(next.id, BigInt(next.xid));
      this.deliver(next);
      const { id }: RecordedEvent = next;
      next = this.waiting.get(id);
      this.waiting.delete(id);
    }
  }

  private deliver(event: RecordedEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        this.logger.error(error);
      }
    }
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.reading = this.catchUp()
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

/** As cursors carry it. */
function nameOf(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, 16);
}
