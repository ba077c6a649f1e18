import type { Duplex } from 'node:stream';
import type { DomainError, ErrorKind } from '../../kernel/domain-error.js';
import { rawProblem } from '../http/raw-problem.js';
import type { CloseReason } from '../../kernel/close-codes.js';

/** Time for a refused client to read the response and close its side. */
const LINGER_MS = 2_000;

/** Refuses an upgrade with an HTTP response in the standard envelope. */
export function refuseUpgrade(socket: Duplex, requestId: string, error: DomainError, tokenSent: boolean): void {
  // RFC 6455 requires the supported version in the response to a client with another one
  socket.end(rawProblem(requestId, error, tokenSent, { 'Sec-WebSocket-Version': '13' }));
  // the HTTP server no longer manages an upgraded socket: without this, a client that never closes it would leak it
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** The close reason for each kind of error; `tryLater` for the others. */
const CLOSE_REASONS: Partial<Record<ErrorKind, CloseReason>> = {
  unauthenticated: 'accessRevoked',
  forbidden: 'accessRevoked',
  not_found: 'notFound',
  rate_limited: 'rateLimited',
};

/** @returns the close code that corresponds to the error, for browsers, which cannot read the HTTP response */
export function closeReasonFor({ kind, closeReason }: DomainError): CloseReason {
  return closeReason ?? CLOSE_REASONS[kind] ?? 'tryLater';
}
