import type { SqlService, Statement } from '../database/sql.service.js';
import { statement } from '../database/sql.service.js';

export interface Backlog {
  /** Number of due rows; counting stops at `BACKLOG_LIMIT`. */
  count: number;
  /** Since when the oldest one is due. */
  oldest: Date | null;
}

export const BACKLOG_LIMIT = 1_000;

/** Counts the due rows that a worker has left. @param from the table and the condition, with $1 for the present time */
export function backlogStatement(dueAt: string, from: string): Statement {
  return statement(`
    SELECT count(*)::int AS count, min(due_at) AS oldest
    FROM (SELECT ${dueAt} AS due_at FROM ${from} ORDER BY ${dueAt} LIMIT ${BACKLOG_LIMIT}) AS due`);
}

export async function readBacklog(sql: SqlService, backlog: Statement, values: unknown[]): Promise<Backlog> {
  return (await sql.first<Backlog>(backlog, values)) ?? { count: 0, oldest: null };
}
