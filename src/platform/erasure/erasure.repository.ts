import { Injectable } from '@nestjs/common';
import { Sql, statement } from '../database/sql.js';
import type { ErasedSubject, FinishedErasure } from './erasure-steps.js';

/** Is true of a row's subject while its content is hidden. @param ids SQL of the subject's id, or of an array of them */
export function isBeingErased(workspaceId: string, ids: string): string {
  return `EXISTS (SELECT FROM erased_subject AS hidden WHERE hidden.workspace_id = ${workspaceId} AND hidden.id = ${ids})`;
}

const BEGIN = statement('INSERT INTO erasure (workspace_id, id) VALUES ($1, $2) ON CONFLICT DO NOTHING');
const ADD = statement(`
  INSERT INTO erased_subject (workspace_id, erasure_id, kind, id)
  SELECT $1, $2, $3, id FROM unnest($4::uuid[]) AS listed (id) ON CONFLICT DO NOTHING`);
/** In no order, so that one that fails again and again does not keep the others waiting. */
const CLAIM = statement(`
  SELECT workspace_id AS "workspaceId", id, requested_at AS "requestedAt", scrubbed
  FROM erasure ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED`);
const SUBJECT = statement(`
  SELECT workspace_id AS "workspaceId", id, kind, step, after::text AS after
  FROM erased_subject WHERE workspace_id = $1 AND erasure_id = $2 ORDER BY id LIMIT 1`);
const MOVE = statement(`
  WITH counted AS (UPDATE erasure SET scrubbed = scrubbed + $6 WHERE workspace_id = $1 AND id = $2)
  UPDATE erased_subject SET step = $4, after = $5::bigint WHERE workspace_id = $1 AND id = $3`);
const LEAVE = statement(`
  WITH counted AS (UPDATE erasure SET scrubbed = scrubbed + $4 WHERE workspace_id = $1 AND id = $2)
  DELETE FROM erased_subject WHERE workspace_id = $1 AND id = $3`);
const FINISH = statement('DELETE FROM erasure WHERE workspace_id = $1 AND id = $2');

export type ClaimedErasure = FinishedErasure;

export interface SubjectProgress extends ErasedSubject {
  step: string | null;
  after: string;
}

/** The erasures under way and how far each has come. */
@Injectable()
export class ErasureRepository {
  constructor(private readonly sql: Sql) {}

  async begin(workspaceId: string, id: string): Promise<void> {
    await this.sql.count(BEGIN, [workspaceId, id]);
  }

  async add(workspaceId: string, erasureId: string, kind: string, ids: readonly string[]): Promise<void> {
    await this.sql.count(ADD, [workspaceId, erasureId, kind, ids]);
  }

  /** An erasure on which no other instance works at this moment; it stays claimed until the unit of work ends. */
  claim(): Promise<ClaimedErasure | undefined> {
    return this.sql.first<ClaimedErasure>(CLAIM);
  }

  nextSubject({ workspaceId, id }: ClaimedErasure): Promise<SubjectProgress | undefined> {
    return this.sql.first<SubjectProgress>(SUBJECT, [workspaceId, id]);
  }

  async saveProgress(erasure: ClaimedErasure, subjectId: string, step: string, after: string, scrubbed: number): Promise<void> {
    await this.sql.count(MOVE, [erasure.workspaceId, erasure.id, subjectId, step, after, scrubbed]);
  }

  async completeSubject(erasure: ClaimedErasure, subjectId: string, scrubbed: number): Promise<void> {
    await this.sql.count(LEAVE, [erasure.workspaceId, erasure.id, subjectId, scrubbed]);
  }

  async finish({ workspaceId, id }: ClaimedErasure): Promise<void> {
    await this.sql.count(FINISH, [workspaceId, id]);
  }
}
