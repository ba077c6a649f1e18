import type { NextFunction, Request, RequestHandler, Response } from 'express';

const EXPOSED = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
  'WWW-Authenticate',
].join(', ');

/** Routes that no page may call: what they answer or make is for backends. */
const SERVERS_ONLY = new Set(['/v1/auth/sso/ticket', '/v1/workspace/members']);

/** The path as the router reads it, to which neither case nor a slash at the end makes another route. */
function routed(path: string): string {
  return path.toLowerCase().replace(/\/$/, '');
}

/**
 * Any page may call the API: tokens travel in headers, never in cookies, so a foreign page has nothing of its visitor's
 * to send along. Which pages a channel serves is checked on the request itself.
 */
export function crossOrigin(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const method = request.headers['access-control-request-method'] ?? request.method;
    const path = routed(request.path);
    const closed = !path.startsWith('/v1/') || (SERVERS_ONLY.has(path) && method === 'POST');
    if (closed) return next();
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Expose-Headers', EXPOSED);
    if (request.method !== 'OPTIONS') return next();
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PATCH, DELETE');
    response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key, X-Request-Id');
    response.setHeader('Access-Control-Max-Age', '86400');
    response.status(204).end();
  };
}
