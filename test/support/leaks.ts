import type { ClientBase } from 'pg';
import { secretsIn } from './known-secrets.js';

/** A secret was stored or logged in clear. */
export class Leaked extends Error {
  constructor(readonly leaks: string[]) {
    super(`secrets in clear:\n${leaks.map(leak => `  ${leak}`).join('\n')}`);
  }
}

/** Every row of every table as JSON: text as it is, bytes in hex. */
const TABLES = `SELECT oid::regclass::text AS name FROM pg_class
  WHERE relkind IN ('r', 'm') AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`;

/** @throws Leaked with the table, column and row of each secret that the database stores in clear */
export async function assertNoSecretsStored(client: ClientBase): Promise<void> {
  const tables = (await client.query<{ name: string }>(TABLES)).rows;
  if (tables.length === 0) return;
  const rowsOf = ({ name }: { name: string }) =>
    `SELECT ${client.escapeLiteral(name)} AS name, to_json(t)::text AS row FROM ${name} t`;
  const { rows } = await client.query<{ name: string; row: string }>(tables.map(rowsOf).join(' UNION ALL '));
  if (secretsIn(rows.map(({ row }) => row).join('\n'), true).length === 0) return;
  throw new Leaked(rows.flatMap(({ name, row }) => leaksInRow(name, row)));
}

function leaksInRow(table: string, row: string): string[] {
  if (secretsIn(row, true).length === 0) return [];
  const columns = JSON.parse(row) as Record<string, unknown>;
  const [[first = '', its] = []] = Object.entries(columns);
  const where = 'id' in columns ? `id = ${String(columns.id)}` : `${first} = ${String(its)}`;
  return Object.entries(columns).flatMap(([column, value]) =>
    secretsIn(JSON.stringify(value), true).map(
      found => `${table}.${column} stores ${found.kind}, ${short(found.value)}, where ${where}`,
    ),
  );
}

/** @throws Leaked with each log line that contains a secret in clear */
export function assertNoSecretsLogged(lines: readonly string[]): void {
  if (secretsIn(lines.join('\n'), false).length === 0) return;
  const leaks = lines.flatMap(line => {
    const found = secretsIn(line, false);
    const shown = found.reduce((text, { value }) => text.replaceAll(value, short(value)), line.trim());
    return found.map(({ kind, value }) => `the log contains ${kind}, ${short(value)}, in: ${shown.slice(0, 500)}`);
  });
  throw new Leaked(leaks);
}

/** Enough to recognise a secret, too little to use it. */
function short(value: string): string {
  return `${value.slice(0, Math.min(11, Math.floor(value.length / 3)))}…`;
}
