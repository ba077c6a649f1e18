import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DomainError } from '../../kernel/domain-error.js';
import { MalformedRequest, RequestTimeout } from '../../kernel/errors.js';
import { rawProblem } from './raw-problem.js';
import { newRequestId } from '../request/request-context.js';

/** Node stores the response under way on the socket. */
interface HttpSocket extends Duplex {
  _httpMessage?: { headersSent: boolean } | null;
}

/** Time for a refused client to read the response and close its side. */
const LINGER_MS = 2_000;
const TOO_LARGE = 'The request line and headers are too large.';

/**
 * Answers requests that Node's parser rejects with the standard envelope: oversized headers, invalid HTTP, wrong chunk
 * lengths, headers that are late. They never become requests, so no filter sees them.
 *
 * An unknown `Expect` header is ignored instead of answered with 417, as HTTP allows.
 */
export function answerUnreadable(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: HttpSocket) => {
    if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
    socket.end(rawProblem(newRequestId(), refusalOf(error), false));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function refusalOf({ code }: NodeJS.ErrnoException): DomainError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout();
  return new MalformedRequest(code === 'HPE_HEADER_OVERFLOW' ? { message: TOO_LARGE } : {});
}
