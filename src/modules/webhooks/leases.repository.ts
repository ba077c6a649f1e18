import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';

/** How long an instance may deliver to a webhook without renewing its lease. */
export const LEASE_MS = 60_000;

/** The end is the database's time, because the clocks of instances differ. */
const LEASE_END = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;
const IS_OWN = 'workspace_id = $1 AND id = $2 AND lease = $3';
const CLAIM = statement(`
  UPDATE webhook SET lease = $2, leased_until = ${LEASE_END}
  FROM (
    SELECT workspace_id, id FROM webhook
    WHERE due_at <= $1 AND (leased_until IS NULL OR leased_until < clock_timestamp())
      AND workspace_id <> ALL($4::uuid[]) AND id <> ALL($5::uuid[])
    ORDER BY due_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
  ) AS due
  WHERE webhook.workspace_id = due.workspace_id AND webhook.id = due.id
  RETURNING webhook.workspace_id AS "workspaceId", webhook.id, lease, failing_since IS NOT NULL AS failing,
            deleted_at IS NOT NULL AS deleted, enabled,
            ended_number > 0 AS ended`);
const RENEW = statement(`UPDATE webhook SET leased_until = ${LEASE_END} WHERE ${IS_OWN}`);
const LOCK = statement(`SELECT id FROM webhook WHERE ${IS_OWN} FOR NO KEY UPDATE`);
/**
 * Follows the lock in a statement of its own, so that it sees what was queued while it waited. A webhook that was deleted
 * meanwhile stays due, so that its rows are deleted.
 */
const RELEASE = statement(`
  UPDATE webhook SET lease = NULL, leased_until = NULL, due_at = CASE WHEN deleted_at IS NOT NULL THEN due_at ELSE (
    SELECT min(delivery.due_at) FROM webhook_delivery AS delivery
    WHERE delivery.workspace_id = webhook.workspace_id AND delivery.webhook_id = webhook.id
      AND delivery.status = 'pending'
  ) END
  WHERE ${IS_OWN}`);
const BACKLOG = backlogStatement('due_at', 'webhook WHERE due_at <= $1');

/** A webhook to which this instance alone delivers, until the lease ends. */
export interface LeasedWebhook extends DueRow {
  lease: string;
  failing: boolean;
  enabled: boolean;
  deleted: boolean;
  /** True if it was disabled before: deliveries of that time may be pending. */
  ended: boolean;
  /** End of the lease by this process's monotonic clock, which also counts while the process is paused. */
  leaseEndsAt: number;
}

/** Which instance delivers to which webhook. */
@Injectable()
export class LeasesRepository {
  constructor(
    private readonly sql: SqlService,
    private readonly units: UnitOfWork,
  ) {}

  async claim({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<LeasedWebhook[]> {
    const leaseEndsAt = performance.now() + LEASE_MS;
    const values = [now, newId(), limit, exceptWorkspaceIds, exceptIds];
    const rows = await this.sql.rows<Omit<LeasedWebhook, 'leaseEndsAt'>>(CLAIM, values);
    return rows.map(row => ({ ...row, leaseEndsAt }));
  }

  /** Extends the lease. @returns false if another instance has taken it */
  async renew(webhook: LeasedWebhook): Promise<boolean> {
    const leaseEndsAt = performance.now() + LEASE_MS;
    if ((await this.sql.count(RENEW, ownerOf(webhook))) === 0) return false;
    webhook.leaseEndsAt = leaseEndsAt;
    return true;
  }

  /** Ends the lease, and makes the webhook due with its next delivery. */
  async release(webhook: LeasedWebhook): Promise<void> {
    await this.units.run(async () => {
      if ((await this.sql.count(LOCK, ownerOf(webhook))) > 0) await this.sql.count(RELEASE, ownerOf(webhook));
    });
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }
}

function ownerOf({ workspaceId, id, lease }: LeasedWebhook): unknown[] {
  return [workspaceId, id, lease];
}
