import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../kernel/clock.js';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import { encodeLogCursor } from '../../platform/events/log-cursor.js';
import type { EventRange, LoggedEvent } from '../../platform/events/reading-position.repository.js';
import { markOf } from '../../platform/events/watermark.js';
import type { Endpoint, SelectedEvent } from './delivery-queue.repository.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { EventCopiesRepository } from './event-copies.repository.js';
import { WebhookChecksService } from './webhook-checks.service.js';
import { WebhookPayloadsService } from './webhook-payloads.service.js';
import { WebhooksWorker } from './webhooks.worker.js';

const DELIVERING_BATCH_MS = 100;
const MAX_DELIVERING = 10_000;

/** Queues a delivery for each event and each webhook that selects it. */
@Injectable()
export class WebhooksConsumer extends EventConsumer {
  readonly name = 'webhooks';
  protected readonly types: readonly EventType[];
  /**
   * The lists are read once per query, the second one only for events from before a webhook was disabled. Events of other
   * workspaces stay in the database.
   */
  protected override readonly condition = `event.workspace_id IN (SELECT workspace_id FROM webhook WHERE enabled)
    OR event.recorded_at < (SELECT max(disabled_at) FROM webhook)
      AND event.workspace_id IN (SELECT workspace_id FROM webhook WHERE disabled_at IS NOT NULL)`;
  protected override readonly beginsAtEnd = true;
  protected override readonly batchMs = 1_000;
  /** Ids of workspaces whose events have had deliveries. Only theirs are worth a read at once. */
  private readonly delivering = new LRUCache<string, true>({ max: MAX_DELIVERING });

  constructor(
    private readonly dependencies: ConsumerDependencies,
    checks: WebhookChecksService,
    private readonly queue: DeliveryQueueRepository,
    private readonly copies: EventCopiesRepository,
    private readonly payloads: WebhookPayloadsService,
    private readonly worker: WebhooksWorker,
    private readonly clock: Clock,
  ) {
    super(dependencies);
    this.types = checks.offered;
  }

  protected override batchMsOf({ workspaceId }: RecordedEvent): number {
    return this.delivering.has(workspaceId) ? DELIVERING_BATCH_MS : this.batchMs;
  }

  protected async handle(events: readonly LoggedEvent[], { since }: EventRange): Promise<void> {
    const selected = await this.select(events);
    if (selected.length === 0) return;
    for (const { event } of selected) this.delivering.set(event.workspaceId, true);
    const { identity } = this.dependencies.tail;
    const cursorOf = ({ id, position }: RecordedEvent): string =>
      encodeLogCursor({ identity, since, newest: { position, mark: markOf(id) }, range: null });
    await this.copies.copyAll([...new Set(selected.map(({ event }) => event))], cursorOf);
    await this.queue.insertAll(selected, 'live', this.clock.now());
    this.worker.wakeAfterCommit();
  }

  /**
   * A webhook receives nothing that was recorded before it was created or enabled. Events from before it was disabled that
   * are read only now have failed.
   */
  private async select(events: readonly LoggedEvent[]): Promise<SelectedEvent[]> {
    const endpoints = await this.queue.lockEndpoints([...new Set(events.map(({ workspaceId }) => workspaceId))]);
    return events.flatMap(event =>
      endpoints
        .filter(({ workspaceId }) => workspaceId === event.workspaceId)
        .flatMap(endpoint => {
          const status = statusFor(endpoint, new Date(event.recordedAt));
          return status && this.payloads.selects(endpoint, event) ? [{ endpoint, event, status }] : [];
        }),
    );
  }
}

/** @returns null for an event from before the webhook was created, or from a time in which it was disabled */
function statusFor(webhook: Endpoint, recordedAt: Date): SelectedEvent['status'] | null {
  const { enabled, createdAt, enabledAt, disabledAt } = webhook;
  if (enabled && recordedAt >= enabledAt) return 'pending';
  return disabledAt !== null && recordedAt >= createdAt && recordedAt < disabledAt ? 'failed' : null;
}
