import type { Duplex } from 'node:stream';
import type { DomainError } from '../../kernel/domain-error.js';
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

/** @returns the close code that corresponds to the error, for browsers, which cannot read the HTTP response */
export function closeReasonFor(error: DomainError): CloseReason {
  switch (error.kind) {
    case 'unauthenticated':
      return error.code === 'token_expired' ? 'tokenExpired' : 'accessRevoked';
    case 'forbidden':
      return error.code === 'member_deactivated' ? 'memberDeactivated' : 'accessRevoked';
    case 'not_found':
      return 'notFound';
    case 'rate_limited':
      return 'rateLimited';
    default:
      return 'tryLater';
  }
}
