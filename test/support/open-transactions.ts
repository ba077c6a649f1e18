import { Client } from 'pg';

/** Open transactions that have written, each on its own connection. */
export class OpenTransactions {
  private readonly open = new Set<Client>();

  constructor(private readonly url: () => string) {}

  async begin(): Promise<Client> {
    const client = new Client({ connectionString: this.url() });
    await client.connect();
    this.open.add(client);
    await client.query('BEGIN');
    await client.query('SELECT pg_current_xact_id()');
    return client;
  }

  async end(client: Client, how: 'COMMIT' | 'ROLLBACK' = 'COMMIT'): Promise<void> {
    this.open.delete(client);
    await client.query(how);
    await client.end();
  }

  /** Rolls back the transactions that a test left open. */
  async endAll(): Promise<void> {
    for (const client of this.open) await this.end(client, 'ROLLBACK');
  }
}
