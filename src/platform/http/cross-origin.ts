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

/** POST routes for backends only, which no page may call. */
const SERVERS_ONLY = new Set(['/v1/auth/sso/ticket', '/v1/workspace/members']);

/** Normalizes a path as the router does: it ignores case and a trailing slash. */
function normalizePath(path: string): string {
  return path.toLowerCase().replace(/\/$/, '');
}

/**
 * Allows cross-origin calls from any page. Tokens are in headers, never in cookies, so a foreign page cannot send a
 * visitor's credentials. Each channel's allowed origins are checked on the request itself.
 */
export function crossOrigin(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const method = request.headers['access-control-request-method'] ?? request.method;
    const path = normalizePath(request.path);
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
