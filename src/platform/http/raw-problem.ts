import { STATUS_CODES } from 'node:http';
import type { DomainError } from '../../kernel/domain-error.js';
import { problem, problemHeaders, STATUS } from './problem.js';

/** @returns a whole HTTP response with the failure envelope, for a connection without a response object */
export function rawProblem(
  requestId: string,
  error: DomainError,
  tokenSent: boolean,
  more: Record<string, string> = {},
): string {
  const status = STATUS[error.kind];
  const body = JSON.stringify(problem(requestId, error));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
    ...problemHeaders(error, tokenSent),
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n');
}
