import { Client } from 'pg';

/** Transactions that have written and stay open, each on a connection of its own. */
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

  /** Undoes those that a test has left. */
  async endAll(): Promise<void> {
    for (const client of this.open) await this.end(client, 'ROLLBACK');
  }
}
