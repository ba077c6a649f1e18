import { Client } from 'pg';

export function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Runs statements in the cluster's `postgres` database. */
export async function administer(url: string, ...statements: string[]): Promise<void> {
  const adminUrl = new URL(url);
  adminUrl.pathname = '/postgres';
  const client = new Client({ connectionString: adminUrl.href });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
