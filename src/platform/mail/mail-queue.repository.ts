import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import { SqlService, statement } from '../database/sql.service.js';
import type { KeyCount } from '../encryption/encrypted-columns.js';
import type { Slice } from '../erasure/erasure-step.registry.js';
import type { DueQuery, DueRow } from '../jobs/due.worker.js';
import type { Backlog } from '../jobs/backlog.js';
import { backlogStatement, readBacklog } from '../jobs/backlog.js';
import type { MailFailure } from './mail-failure.js';
import type { MailStatus } from './outgoing-mail.entity.js';

/** Mails without a workspace share one place in the order of workspaces. */
const QUEUE_WORKSPACE = `coalesce(workspace_id, '${NIL_ID}')`;

const CANCEL_EARLIER = statement(`
  UPDATE outgoing_mail SET status = 'cancelled', data = NULL, ended_at = $3
  WHERE subject_id = $1 AND kind = $2 AND status = 'pending'`);
const ADD = statement(`
  INSERT INTO outgoing_mail (id, workspace_id, kind, subject_id, data, due_at, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`);
/** Leases due mails until $2. */
const CLAIM = statement(`
  UPDATE outgoing_mail SET due_at = $2, attempts = attempts + 1
  FROM (
    SELECT id FROM outgoing_mail
    WHERE status = 'pending' AND due_at <= $1
      AND ${QUEUE_WORKSPACE} <> ALL($4::uuid[]) AND id <> ALL($5::uuid[])
    ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE outgoing_mail.id = due.id
  RETURNING outgoing_mail.id, ${QUEUE_WORKSPACE} AS "workspaceId",
            workspace_id AS "ownWorkspaceId", kind, subject_id AS "subjectId", data, attempts, created_at AS "createdAt"`);
/** The attempt is part of the condition: after the end of its lease another instance may have begun the next one. */
const END = statement(`
  UPDATE outgoing_mail SET status = $3, ended_at = $4, recipient = coalesce($5, recipient), last_error = $6, data = NULL
  WHERE id = $1 AND attempts = $2 AND status = 'pending'`);
const RETRY = statement(`
  UPDATE outgoing_mail SET due_at = $3, recipient = coalesce($4, recipient), last_error = $5
  WHERE id = $1 AND attempts = $2 AND status = 'pending'`);
const BACKLOG = backlogStatement('due_at', "outgoing_mail WHERE status = 'pending' AND due_at <= $1");
const FAILURES = statement(`
  SELECT id, kind, subject_id AS "subjectId", recipient, attempts, last_error AS "lastError",
         created_at AS "createdAt", ended_at AS "endedAt"
  FROM outgoing_mail
  WHERE workspace_id = $1 AND status = 'failed' AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`);
const KEYS_IN_USE = statement(`
  SELECT split_part(data, '.', 1) AS "keyId", count(*)::integer AS texts FROM outgoing_mail
  WHERE data IS NOT NULL GROUP BY 1`);
const DELETE_OLD = statement(`
  DELETE FROM outgoing_mail WHERE id IN (SELECT id FROM outgoing_mail WHERE created_at < $1 LIMIT $2)`);
const SCRUB_SLICE = statement(`
  WITH slice AS (
    SELECT id FROM outgoing_mail
    WHERE workspace_id = $1 AND subject_id = $2 AND (status = 'pending' OR recipient IS NOT NULL OR last_error IS NOT NULL)
    LIMIT $3 FOR UPDATE
  )
  UPDATE outgoing_mail
  SET data = NULL, recipient = NULL, last_error = NULL, ended_at = coalesce(ended_at, clock_timestamp()),
      status = CASE status WHEN 'pending' THEN 'cancelled' ELSE status END
  FROM slice WHERE outgoing_mail.id = slice.id`);

export interface ClaimedMail extends DueRow {
  /** Null for a mail that concerns no workspace. `workspaceId` is its place in the order of workspaces. */
  ownWorkspaceId: string | null;
  kind: string;
  subjectId: string;
  data: string | null;
  attempts: number;
  createdAt: Date;
}

export interface NewMailRow {
  id: string;
  workspaceId: string | null;
  kind: string;
  subjectId: string;
  data: string | null;
  dueAt: Date;
}

@Injectable()
export class MailQueueRepository {
  constructor(private readonly sql: SqlService) {}

  /** Cancels the mails of this kind about this subject that were not sent yet. */
  async cancel(kind: string, subjectId: string, now: Date): Promise<void> {
    await this.sql.count(CANCEL_EARLIER, [subjectId, kind, now]);
  }

  async insert({ id, workspaceId, kind, subjectId, data, dueAt }: NewMailRow, now: Date): Promise<void> {
    await this.sql.count(ADD, [id, workspaceId, kind, subjectId, data, dueAt, now]);
  }

  claim({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery, leaseUntil: Date): Promise<ClaimedMail[]> {
    return this.sql.rows<ClaimedMail>(CLAIM, [now, leaseUntil, limit, exceptWorkspaceIds, exceptIds]);
  }

  async end(
    { id, attempts }: ClaimedMail,
    status: Exclude<MailStatus, 'pending'>,
    at: Date,
    { recipient = null, error = null }: { recipient?: string | null; error?: string | null } = {},
  ): Promise<void> {
    await this.sql.count(END, [id, attempts, status, at, recipient, error]);
  }

  async retryAt({ id, attempts }: ClaimedMail, at: Date, recipient: string | null, error: string): Promise<void> {
    await this.sql.count(RETRY, [id, attempts, at, recipient, error]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }

  /** Newest first. @throws CursorInvalid */
  async findFailures(workspaceId: string, { limit, cursor }: PageRequest): Promise<Page<MailFailure>> {
    const after = cursor === undefined ? null : decodeIdCursor('mail-failures', cursor);
    const rows = await this.sql.rows<MailFailure>(FAILURES, [workspaceId, after, limit + 1]);
    return toPage(rows, limit, ({ id }) => encodeCursor('mail-failures', [id]));
  }

  keysInUse(): Promise<KeyCount[]> {
    return this.sql.rows<KeyCount>(KEYS_IN_USE);
  }

  /** @returns the number of deleted rows */
  deleteOlderThan(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_OLD, [time, limit]);
  }

  /** Cancels and scrubs mails about an erased subject. */
  async scrubSlice(workspaceId: string, subjectId: string, limit: number): Promise<Slice> {
    const scrubbed = await this.sql.count(SCRUB_SLICE, [workspaceId, subjectId, limit]);
    return { scrubbed, after: scrubbed === limit ? '0' : null };
  }
}
