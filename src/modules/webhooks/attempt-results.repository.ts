import { Injectable } from '@nestjs/common';
import { isRejected } from '../../platform/database/database-errors.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { WriteBatcher } from '../../platform/database/write-batcher.js';
import type { Attempt, DeliveryStatus } from './delivery.js';

/**
 * Writes the results of attempts. An attempt of an instance that lost its lease loses against the one that was written
 * first. Of the webhook, a success is written at most once a second, and a failure only after a success.
 *
 * `IS TRUE` prevents the use of the index of all pending deliveries.
 */
const WRITE = statement(`
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($1) AS made (
      "workspaceId" uuid, id uuid, "webhookId" uuid, "attemptCount" int, status text, attempts jsonb, "dueAt" timestamptz,
      at timestamptz, "judgesEndpoint" boolean)
  ),
  written AS (
    UPDATE webhook_delivery AS delivery
    SET status = result.status, lane = 'retry', attempts = result.attempts, attempt_count = result."attemptCount" + 1,
        due_at = result."dueAt"
    FROM result
    WHERE delivery.workspace_id = result."workspaceId" AND delivery.id = result.id
      AND (delivery.status = 'pending' AND delivery.attempt_count = result."attemptCount") IS TRUE
  ),
  endpoint AS (
    SELECT "workspaceId", "webhookId", max(at) FILTER (WHERE status = 'delivered') AS success,
           min(at) FILTER (WHERE status <> 'delivered') AS failure
    FROM result WHERE "judgesEndpoint" GROUP BY "workspaceId", "webhookId"
  )
  UPDATE webhook
  SET last_success_at = greatest(last_success_at, success),
      failing_since = CASE WHEN success IS NULL THEN coalesce(failing_since, failure) END
  FROM endpoint
  WHERE webhook.workspace_id = endpoint."workspaceId" AND webhook.id = endpoint."webhookId"
    AND CASE WHEN success IS NULL THEN failing_since IS NULL ELSE failing_since IS NOT NULL
      OR last_success_at IS NULL OR last_success_at < success - interval '1 second' END`);

/** A delivery after an attempt. */
export interface AttemptResult {
  workspaceId: string;
  id: string;
  webhookId: string;
  /** Attempts before this one. */
  attemptCount: number;
  status: DeliveryStatus;
  attempts: Attempt[];
  /** The next attempt; null unless it is pending. */
  dueAt: Date | null;
  at: Date;
  /** False if the endpoint has no part in the result. */
  judgesEndpoint: boolean;
}

const WAIT_MS = 30_000;

@Injectable()
export class AttemptResultsRepository {
  private readonly batcher: WriteBatcher<AttemptResult, null, null>;

  constructor(sql: SqlService) {
    this.batcher = new WriteBatcher({
      maxItems: 100,
      waitMs: WAIT_MS,
      execute: async results => {
        await sql.count(WRITE, [JSON.stringify(results)]);
        return results.map(() => null);
      },
      onFlush: results => results.map(() => null),
      isRetryable: isRejected,
    });
  }

  /** Writes a result, together with others that arrive meanwhile. */
  async write(result: AttemptResult): Promise<void> {
    await this.batcher.add(result);
  }
}
