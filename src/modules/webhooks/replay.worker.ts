import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { EventTailJob } from '../../platform/events/event-tail.job.js';
import { encodeLogCursor } from '../../platform/events/log-cursor.js';
import { markOf } from '../../platform/events/watermark.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { EventCopiesRepository } from './event-copies.repository.js';
import { ReplaysRepository } from './replays.repository.js';
import { WebhookPayloadsService } from './webhook-payloads.service.js';
import { WebhooksWorker } from './webhooks.worker.js';

/** Events per transaction. */
const SLICE = 500;

/** Queues the events of replays in slices. Each commits with its progress, so a crash queues nothing twice. */
@Injectable()
export class ReplayWorker extends DueWorker<DueRow> {
  protected readonly name = 'webhook_replays';
  protected override readonly concurrency = 1;
  protected override readonly batchSize = 10;

  constructor(
    dependencies: WorkerDependencies,
    private readonly replays: ReplaysRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly copies: EventCopiesRepository,
    private readonly payloads: WebhookPayloadsService,
    private readonly deliveries: WebhooksWorker,
    private readonly tail: EventTailJob,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<DueRow[]> {
    return this.replays.findDue(query);
  }

  /** One slice; the replay stays due until no event is left. One to a disabled webhook ends. */
  protected work(row: DueRow, now: Date): Promise<boolean> {
    return this.transaction(async () => {
      const replay = await this.replays.tryLock(row, SLICE);
      if (!replay) return false;
      const endpoints = await this.queue.lockEndpoints([replay.workspaceId]);
      const endpoint = endpoints.find(({ id, enabled }) => enabled && id === replay.webhookId);
      if (!endpoint) {
        await this.replays.advance(replay, replay.done, null);
        return true;
      }
      const events = (await this.replays.findEvents(replay)).filter(event => this.payloads.selects(endpoint, event));
      const logged = events.filter(({ isInLog }) => isInLog);
      await this.copies.copyAll(logged, event => this.cursorAfter(event));
      const selected = events.map(event => ({ endpoint, event, status: 'pending' as const }));
      if (selected.length > 0) await this.queue.insertAll(selected, 'replay', now);
      const done = replay.done + replay.slice.length;
      await this.replays.advance(replay, done, done < replay.total ? now : null);
      this.deliveries.wakeAfterCommit();
      return true;
    });
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.replays.measure(now);
  }

  /** All earlier transactions have ended by now. */
  private cursorAfter({ id, xid, position }: RecordedEvent): string {
    const { identity } = this.tail;
    return encodeLogCursor({ identity, since: xid, newest: { position, mark: markOf(id) }, range: null });
  }
}
