import { QueryFailedError } from 'typeorm';

interface DriverError {
  code?: string;
  constraint?: string;
  routine?: string;
}

function driverError(error: unknown): DriverError {
  if (error instanceof QueryFailedError) return (error.driverError ?? {}) as DriverError;
  return typeof error === 'object' && error !== null ? (error as DriverError) : {};
}

/** Deadlock and serialization failure: the database has undone the transaction, and the next try can succeed. */
export function isTransactionConflict(error: unknown): boolean {
  return ['40P01', '40001'].includes(driverError(error).code ?? '');
}

/**
 * The server ended the session, by an administrator's hand or because its transaction was idle for too long: before
 * COMMIT it took the transaction with it, during COMMIT nobody knows.
 */
export function isSessionTerminated(error: unknown): boolean {
  return ['57P01', '25P03'].includes(driverError(error).code ?? '');
}

/** The wait for a row that another transaction has locked took longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return driverError(error).code === '55P03';
}

/** The database has looked at a statement and said no: nothing of it has happened. Not so when nobody knows. */
export function isRejected(error: unknown): boolean {
  const { code } = driverError(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|58|XX)/.test(code);
}

/** A pooler between us and PostgreSQL does not carry named statements from one transaction to the next. */
export function isPreparedStatementMissing(error: unknown): boolean {
  return ['26000', '42P05'].includes(driverError(error).code ?? '');
}

/** Every constraint is named by us, because this is how a refusal by the database becomes an error of the domain. */
export function violates(error: unknown, constraint: string): boolean {
  const { code, constraint: name } = driverError(error);
  return (code === '23505' || code === '23503' || code === '23514') && name === constraint;
}

const GONE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  '08000',
  '08001',
  '08003',
  '08006',
  '25006', // read-only
  '25P03', // idle in transaction for too long
  '40001', // serialization failure, time and again
  '40P01', // deadlock, time and again
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '55P03', // a row that another transaction has locked
  '57014', // statement timeout
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // starting up
]);

const GONE_TEXT =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable|Client was closed|DataSource is not|Driver not Connected|Query read timeout|ECONNREFUSED/i;

/** Whether the database could not be asked at all, as opposed to having said no. */
export function isUnavailable(error: unknown): boolean {
  const code = driverError(error).code;
  if (code !== undefined && GONE.has(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  return error instanceof Error && GONE_TEXT.test(error.message);
}
