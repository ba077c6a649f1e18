import type { SqlService, Statement } from './sql.service.js';
import { statement } from './sql.service.js';

/** Counts that a table keeps up to date, and how they are computed anew. */
export interface StoredCounts {
  freeze: Statement;
  drift: Statement;
  clear: Statement;
  fill: Statement;
}

/**
 * @param keys columns of the table's primary key
 * @param count column with the count
 * @param actual SELECT of the true counts, with these columns in this order; no row means 0
 */
export function storedCounts(table: string, keys: readonly string[], count: string, actual: string): StoredCounts {
  return {
    freeze: statement(`LOCK TABLE ${table} IN EXCLUSIVE MODE`),
    drift: statement(`
      SELECT count(*)::int AS wrong FROM (${actual}) AS truth FULL JOIN ${table} AS stored USING (${keys.join(', ')})
      WHERE coalesce(truth.${count}, 0) <> coalesce(stored.${count}, 0)`),
    clear: statement(`DELETE FROM ${table}`),
    fill: statement(`INSERT INTO ${table} (${[...keys, count].join(', ')}) ${actual}`),
  };
}

/**
 * Recounts if any count is wrong, in the caller's unit of work. Writers wait until that ends.
 * @returns the number of wrong counts; 0 unless the tables were written by hand
 */
export async function repairCounts(sql: SqlService, { freeze, drift, clear, fill }: StoredCounts): Promise<number> {
  await sql.count(freeze);
  const { wrong } = (await sql.first<{ wrong: number }>(drift)) ?? { wrong: 0 };
  if (wrong === 0) return 0;
  await sql.count(clear);
  await sql.count(fill);
  return wrong;
}
