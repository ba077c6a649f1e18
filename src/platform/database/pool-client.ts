import type { ClientConfig } from 'pg';
import { Client } from 'pg';

/**
 * A connection that does not outlive a statement that took too long. pg's `query_timeout` gives up on the answer alone:
 * the statement is still under way, whatever is asked next queues behind it, and TypeORM puts such a connection back
 * into the pool, where it fails one request after another. Ended at once, it is replaced by a new one, and the ROLLBACK
 * that follows fails without waiting for its own time.
 *
 * And its loss is never the process's: the pool stops listening for errors when it hands a connection over, TypeORM
 * begins a turn later, and a session that is ended in between would be an error that nobody hears.
 */
export class PoolClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    const ask = this.query.bind(this) as (...words: unknown[]) => unknown;
    this.query = ((...words: unknown[]) => {
      const answer = ask(...words);
      // with a callback it is the pool that asks, and the pool ends a connection that failed
      if (answer instanceof Promise) answer.catch((error: Error) => this.endIfLate(error));
      return answer;
    }) as Client['query'];
  }

  private endIfLate(error: Error): void {
    if (error.message === 'Query read timeout') void this.end();
  }
}
