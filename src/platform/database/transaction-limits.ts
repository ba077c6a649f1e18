import type { Config } from '../../config/config.js';

/** The server's limits for one transaction, in milliseconds; 0 is none. */
export interface TransactionLimits {
  statementMs: number;
  lockMs: number;
  /** How long the transaction may stay open without a statement. */
  idleMs: number;
}

/** The server gives up a little sooner than the client, so that its answer still arrives and the connection lives on. */
const EARLIER = 0.95;

export function transactionLimits(config: Config): TransactionLimits {
  const { databaseQueryTimeoutMs: queryMs, databaseLockTimeoutMs: lockMs } = config;
  return { statementMs: serverLimit(queryMs), lockMs: queryMs === 0 ? 0 : lockMs, idleMs: queryMs };
}

export function serverLimit(clientMs: number): number {
  return Math.floor(clientMs * EARLIER);
}

/**
 * Begins a transaction with its limits in one message: no round trip more, and nothing that outlives the transaction,
 * as a pooler in transaction mode wants it. Whatever becomes of this host, its locks and its hold on the event log's
 * horizon end after `idleMs`.
 */
export function beginWith({ statementMs, lockMs, idleMs }: TransactionLimits): string {
  return [
    'START TRANSACTION',
    `SET LOCAL statement_timeout = ${statementMs}`,
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
  ].join('; ');
}
