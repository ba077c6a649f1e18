import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../database/sql.service.js';
import type { IdempotencyKeyEntity } from './idempotency.entity.js';
import { isBeingErased } from '../erasure/erasure.repository.js';
import type { KeyCount } from '../encryption/encrypted-columns.js';

/** The lock lasts until the end of the transaction. When it is taken, the first request is still running. */
const TRY_LOCK = statement(`SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS acquired`);
/** The answer is null while one of its subjects is being erased, even before it is scrubbed. */
const FIND = statement(`
  SELECT request_hash AS "requestHash",
         CASE WHEN ${isBeingErased('kept_answer.workspace_id', 'ANY(kept_answer.about)')} THEN NULL ELSE answer END AS answer
  FROM kept_answer WHERE id = $1 AND created_at > clock_timestamp() - interval '24 hours'`);
const SAVE = statement(`
  INSERT INTO kept_answer (id, workspace_id, request_hash, answer, about) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE
    SET request_hash = excluded.request_hash, answer = excluded.answer, about = excluded.about,
        created_at = excluded.created_at`);
/** Keeps the row, so that a retry has no second effect, but removes request hash and answer. */
const SCRUB_SLICE = statement(`
  WITH slice AS (
    SELECT id FROM kept_answer WHERE workspace_id = $1 AND $2::uuid = ANY(about) AND answer IS NOT NULL LIMIT $3
    FOR UPDATE
  )
  UPDATE kept_answer SET answer = NULL, request_hash = repeat('0', 64) FROM slice WHERE kept_answer.id = slice.id`);
const KEYS_IN_USE = statement(`
  SELECT split_part(answer, '.', 1) AS "keyId", count(*)::integer AS texts FROM kept_answer
  WHERE answer IS NOT NULL AND created_at > clock_timestamp() - interval '24 hours' GROUP BY 1`);
const DELETE_EXPIRED = statement(`DELETE FROM kept_answer WHERE created_at < clock_timestamp() - interval '24 hours'`);

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly sql: SqlService) {}

  async tryLock(id: string): Promise<boolean> {
    return (await this.sql.first<{ acquired: boolean }>(TRY_LOCK, [id]))?.acquired ?? false;
  }

  find(id: string): Promise<{ requestHash: string; answer: string | null } | undefined> {
    return this.sql.first(FIND, [id]);
  }

  async save(entry: Omit<IdempotencyKeyEntity, 'createdAt'>): Promise<void> {
    const { id, workspaceId, requestHash, answer, about } = entry;
    await this.sql.count(SAVE, [id, workspaceId, requestHash, answer, about]);
  }

  /** Scrubs answers about a subject. @returns the number of scrubbed rows; fewer than `limit` when none is left */
  scrubSlice(workspaceId: string, about: string, limit: number): Promise<number> {
    return this.sql.count(SCRUB_SLICE, [workspaceId, about, limit]);
  }

  /** Counts the unexpired answers by encryption key. */
  keysInUse(): Promise<KeyCount[]> {
    return this.sql.rows<KeyCount>(KEYS_IN_USE);
  }

  /** Deletes answers older than 24 hours. @returns the number of deleted rows */
  deleteExpired(): Promise<number> {
    return this.sql.count(DELETE_EXPIRED);
  }
}
