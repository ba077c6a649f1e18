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

/** Returns true for a deadlock or serialization failure: the transaction was rolled back, and a retry can succeed. */
export function isTransactionConflict(error: unknown): boolean {
  return ['40P01', '40001'].includes(driverError(error).code ?? '');
}

/**
 * Returns true when the server ended the session: an administrator did, or the transaction was idle for too long.
 * Before COMMIT the transaction was rolled back; during COMMIT its outcome is unknown.
 */
export function isSessionTerminated(error: unknown): boolean {
  return ['57P01', '25P03'].includes(driverError(error).code ?? '');
}

/** Returns true when the wait for a locked row took longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return driverError(error).code === '55P03';
}

/**
 * Returns true when the database rejected the statement, so that it had no effect. False when the outcome is unknown.
 */
export function isRejected(error: unknown): boolean {
  const { code } = driverError(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|58|XX)/.test(code);
}

/** Returns true when a pooler does not keep named statements from one transaction to the next. */
export function isPreparedStatementMissing(error: unknown): boolean {
  return ['26000', '42P05'].includes(driverError(error).code ?? '');
}

/**
 * Returns true when the error is a violation of this constraint. Constraint names map database errors to domain errors.
 */
export function violates(error: unknown, constraint: string): boolean {
  const { code, constraint: name } = driverError(error);
  return (code === '23505' || code === '23503' || code === '23514') && name === constraint;
}

const UNAVAILABLE_CODES = new Set([
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
  '40001', // serialization failure after all retries
  '40P01', // deadlock after all retries
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '55P03', // a row that another transaction has locked
  '57014', // statement timeout
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // starting up
]);

const UNAVAILABLE_TEXT =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable|Client was closed|DataSource is not|Driver not Connected|Query read timeout|ECONNREFUSED/i;

/** Returns true when the database is unavailable, as opposed to having rejected the statement. */
export function isUnavailable(error: unknown): boolean {
  const code = driverError(error).code;
  if (code !== undefined && UNAVAILABLE_CODES.has(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  return error instanceof Error && UNAVAILABLE_TEXT.test(error.message);
}
