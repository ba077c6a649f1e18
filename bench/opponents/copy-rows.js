import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withClient } from '../database.js';

/** Rows per write. */
const ROWS_PER_WRITE = 1_000;

/**
 * Fills tables by COPY, and builds their indexes afterwards.
 * @param tables `{table: {column: row => value}}`; other columns keep their defaults
 * @param folder that PostgreSQL can access
 */
export async function copyRows(url, tables, rows, folder) {
  const files = Object.fromEntries(Object.keys(tables).map(table => [table, join(folder, `${table}.copy`)]));
  try {
    await write(files, tables, rows);
    await Promise.all(
      Object.keys(tables).map(table => withClient(url, client => fill(client, table, tables[table], files[table]))),
    );
  } finally {
    for (const file of Object.values(files)) await rm(file, { force: true });
  }
}

/** Returns a UUIDv7 with that time. */
export function idOf(ms, number) {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

async function fill(client, table, columns, file) {
  // the generated rows satisfy all foreign keys; building indexes afterwards is faster than row by row
  await client.query(`SET session_replication_role = replica; SET maintenance_work_mem = '256MB'`);
  const indexes = await dropIndexes(client, table);
  await client.query(`COPY ${table} (${Object.keys(columns).join(', ')}) FROM '${file}'`);
  for (const { indexdef } of indexes) await client.query(indexdef);
  // vacuums now, so that autovacuum does not run during the measurement
  await client.query(`VACUUM (ANALYZE) ${table}`);
}

async function dropIndexes(client, table) {
  const { rows } = await client.query(
    `SELECT indexname, indexdef FROM pg_indexes
     WHERE schemaname = 'public' AND tablename = $1 AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    [table],
  );
  for (const { indexname } of rows) await client.query(`DROP INDEX ${client.escapeIdentifier(indexname)}`);
  return rows;
}

/** Writes the rows of every table in COPY format. No value contains a tab, a newline or a backslash. */
async function write(files, columns, rows) {
  const tables = [];
  try {
    for (const [table, cells] of Object.entries(columns)) {
      tables.push({ handle: await open(files[table], 'w'), cells: Object.values(cells), text: '' });
    }
    let buffered = 0;
    for (const row of rows) {
      for (const table of tables) table.text += `${table.cells.map(cell => cell(row) ?? '\\N').join('\t')}\n`;
      buffered += 1;
      if (buffered % ROWS_PER_WRITE === 0) await flush(tables);
    }
    await flush(tables);
  } finally {
    for (const { handle } of tables) await handle.close();
  }
}

async function flush(tables) {
  for (const table of tables) {
    await table.handle.write(table.text);
    table.text = '';
  }
}
