import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../database/sql.service.js';
import type { ErasedSubject, FinishedErasure } from './erasure-step.registry.js';

/** Returns SQL that is true while a subject's content is hidden. @param ids SQL of its id, or `ANY(…)` of several */
export function isBeingErased(workspaceId: string, ids: string): string {
  return `EXISTS (SELECT FROM erased_subject AS hidden WHERE hidden.workspace_id = ${workspaceId} AND hidden.id = ${ids})`;
}

const BEGIN = statement('INSERT INTO erasure (workspace_id, id) VALUES ($1, $2) ON CONFLICT DO NOTHING');
const ADD = statement(`
  INSERT INTO erased_subject (workspace_id, erasure_id, kind, id)
  SELECT $1, $2, $3, id FROM unnest($4::uuid[]) AS listed (id) ON CONFLICT DO NOTHING`);
/** Random order, so that an erasure that keeps failing does not block the others. */
const CLAIM = statement(`
  SELECT workspace_id AS "workspaceId", id, requested_at AS "requestedAt", scrubbed
  FROM erasure ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED`);
const SUBJECT = statement(`
  SELECT workspace_id AS "workspaceId", id, kind, step, after::text AS after
  FROM erased_subject WHERE workspace_id = $1 AND erasure_id = $2 ORDER BY id LIMIT 1`);
const SAVE_PROGRESS = statement(`
  WITH counted AS (UPDATE erasure SET scrubbed = scrubbed + $6 WHERE workspace_id = $1 AND id = $2)
  UPDATE erased_subject SET step = $4, after = $5::bigint WHERE workspace_id = $1 AND id = $3`);
const COMPLETE_SUBJECT = statement(`
  WITH counted AS (UPDATE erasure SET scrubbed = scrubbed + $4 WHERE workspace_id = $1 AND id = $2)
  DELETE FROM erased_subject WHERE workspace_id = $1 AND id = $3`);
const FINISH = statement('DELETE FROM erasure WHERE workspace_id = $1 AND id = $2');

export type ClaimedErasure = FinishedErasure;

export interface SubjectProgress extends ErasedSubject {
  step: string | null;
  after: string;
}

/** Stores the erasures in progress. */
@Injectable()
export class ErasureRepository {
  constructor(private readonly sql: SqlService) {}

  async begin(workspaceId: string, id: string): Promise<void> {
    await this.sql.count(BEGIN, [workspaceId, id]);
  }

  async add(workspaceId: string, erasureId: string, kind: string, ids: readonly string[]): Promise<void> {
    await this.sql.count(ADD, [workspaceId, erasureId, kind, ids]);
  }

  /** Locks an erasure that no other instance is processing, until the unit of work ends. */
  claim(): Promise<ClaimedErasure | undefined> {
    return this.sql.first<ClaimedErasure>(CLAIM);
  }

  nextSubject({ workspaceId, id }: ClaimedErasure): Promise<SubjectProgress | undefined> {
    return this.sql.first<SubjectProgress>(SUBJECT, [workspaceId, id]);
  }

  async saveProgress(
    erasure: ClaimedErasure,
    subjectId: string,
    step: string,
    after: string,
    scrubbed: number,
  ): Promise<void> {
    await this.sql.count(SAVE_PROGRESS, [erasure.workspaceId, erasure.id, subjectId, step, after, scrubbed]);
  }

  async completeSubject(erasure: ClaimedErasure, subjectId: string, scrubbed: number): Promise<void> {
    await this.sql.count(COMPLETE_SUBJECT, [erasure.workspaceId, erasure.id, subjectId, scrubbed]);
  }

  async finish({ workspaceId, id }: ClaimedErasure): Promise<void> {
    await this.sql.count(FINISH, [workspaceId, id]);
  }
}
