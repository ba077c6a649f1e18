import type { Duplex } from 'node:stream';
import type { DomainError } from '../../kernel/domain-error.js';
import { rawProblem } from '../http/raw-problem.js';
import type { CloseReason } from '../../kernel/close-codes.js';

/** How long a client that was refused may take to read the answer and close its side. */
const LINGER_MS = 2_000;

/** Answers an upgrade with the same envelope that any other request would get. */
export function refuseUpgrade(socket: Duplex, requestId: string, error: DomainError, tokenSent: boolean): void {
  // which version is spoken here: RFC 6455 wants that told to one of another
  socket.end(rawProblem(requestId, error, tokenSent, { 'Sec-WebSocket-Version': '13' }));
  // an upgrade has left the care of the HTTP server: without this, one that never closes its side stays for ever
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** For browsers, which cannot read that answer: the close code that says the same. */
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
