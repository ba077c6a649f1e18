import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DomainError } from '../../kernel/domain-error.js';
import { MalformedRequest, RequestTimeout } from '../../kernel/errors.js';
import { rawProblem } from './raw-problem.js';
import { newRequestId } from './request-context.js';

/** Node keeps on the socket the response that is being written to it. */
interface HttpSocket extends Duplex {
  _httpMessage?: { headersSent: boolean } | null;
}

/** How long a client that was refused may take to read the answer and close its side. */
const LINGER_MS = 2_000;
const TOO_LARGE = 'The request line and its headers are larger than allowed.';

/**
 * What Node's parser refuses never becomes a request, so no filter sees it: headers too large, bytes that are no HTTP,
 * a chunk of another length than it says, headers that do not end in time. Node would answer it bare. An expectation that nobody knows is not met with
 * 417 but ignored, as HTTP allows.
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
