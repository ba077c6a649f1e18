import { Injectable } from '@nestjs/common';
import { Sql, statement } from '../database/sql.js';
import type { KeyCount } from '../encryption/sealed-places.js';

/** Held to the end of the transaction: whoever does not get it meets a first request that is still running. */
const TRY_LOCK = statement(`SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS mine`);
const FIND = statement(`
  SELECT request_hash AS "requestHash", answer FROM kept_answer
  WHERE id = $1 AND created_at > clock_timestamp() - interval '24 hours'`);
const KEEP = statement(`
  INSERT INTO kept_answer (id, workspace_id, request_hash, answer) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE
    SET request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at`);
const KEYS_IN_USE = statement(`
  SELECT split_part(answer, '.', 1) AS "keyId", count(*)::integer AS texts FROM kept_answer
  WHERE created_at > clock_timestamp() - interval '24 hours' GROUP BY 1`);
const FORGET = statement(`DELETE FROM kept_answer WHERE created_at < clock_timestamp() - interval '24 hours'`);

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly sql: Sql) {}

  async tryLock(id: string): Promise<boolean> {
    return (await this.sql.first<{ mine: boolean }>(TRY_LOCK, [id]))?.mine ?? false;
  }

  find(id: string): Promise<{ requestHash: string; answer: string } | undefined> {
    return this.sql.first(FIND, [id]);
  }

  async keep(id: string, workspaceId: string, requestHash: string, answer: string): Promise<void> {
    await this.sql.count(KEEP, [id, workspaceId, requestHash, answer]);
  }

  /** How many of those that can still be asked for lie under which encryption key. */
  keysInUse(): Promise<KeyCount[]> {
    return this.sql.rows<KeyCount>(KEYS_IN_USE);
  }

  /** Drops answers older than a day. @returns how many */
  forgetOld(): Promise<number> {
    return this.sql.count(FORGET);
  }
}
