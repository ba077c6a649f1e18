import type { Config } from '../../config/config.js';

/** Server-side limits of a transaction, in milliseconds; 0 for none. */
export interface TransactionLimits {
  statementMs: number;
  lockMs: number;
  /** Maximum time without a statement. */
  idleMs: number;
}

/** The server limit is a little below the client limit, so that its error arrives and the connection stays usable. */
const SERVER_SHARE = 0.95;

export function transactionLimits(config: Config): TransactionLimits {
  const { databaseQueryTimeoutMs: queryMs, databaseLockTimeoutMs: lockMs } = config;
  return { statementMs: serverLimit(queryMs), lockMs: queryMs === 0 ? 0 : lockMs, idleMs: queryMs };
}

export function serverLimit(clientMs: number): number {
  return Math.floor(clientMs * SERVER_SHARE);
}

/**
 * Returns SQL that begins a transaction with its limits in one round trip. `SET LOCAL` ends with the transaction, as a
 * pooler in transaction mode requires. If this host dies, its locks and its delay of the event log end after `idleMs`.
 */
export function beginWith({ statementMs, lockMs, idleMs }: TransactionLimits): string {
  return [
    'START TRANSACTION',
    `SET LOCAL statement_timeout = ${statementMs}`,
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
  ].join('; ');
}
