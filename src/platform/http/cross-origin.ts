import type { INestApplication } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { backendRoutes } from './backend-routes.js';

const EXPOSED = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
  'WWW-Authenticate',
].join(', ');

/**
 * Allows cross-origin calls from any page, except of routes that accept API keys alone, because no page may have a key.
 * Tokens are in headers, never in cookies, so a foreign page cannot send the credentials of its reader.
 */
export function crossOrigin(app: INestApplication, prefix: string): RequestHandler {
  const routes = backendRoutes(app, prefix);
  const isForBackends = (method: string, path: string) =>
    routes.some(route => route.method === method && route.pattern.test(path));
  return (request: Request, response: Response, next: NextFunction): void => {
    const method = request.headers['access-control-request-method'] ?? request.method;
    const { path } = request;
    if (!path.toLowerCase().startsWith(`${prefix}/`) || isForBackends(method, path)) return next();
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Expose-Headers', EXPOSED);
    if (request.method !== 'OPTIONS') return next();
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PATCH, DELETE');
    response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key, X-Request-Id');
    response.setHeader('Access-Control-Max-Age', '86400');
    response.status(204).end();
  };
}
