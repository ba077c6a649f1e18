import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { principalKey } from '../../kernel/principal.js';
import { contextOf } from '../http/request-context.js';

/** Probes come every few seconds and say nothing when all is well. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * One line an answered request: who, what, how long. The path without its query, for tokens travel in queries; also
 * stamps the request id on the answer.
 * @param isDraining a 503 is then the answer that is meant: of a probe it is not logged, of a request at level info
 */
export function accessLog(log: Logger, isDraining: () => boolean): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const context = contextOf(request);
    const started = performance.now();
    const { method, path } = request;
    response.setHeader('X-Request-Id', context.requestId);
    response.on('finish', () => {
      const refusedByDrain = response.statusCode === 503 && isDraining();
      if (QUIET.has(path) && (response.statusCode < 400 || refusedByDrain)) return;
      const level = response.statusCode >= 500 && !refusedByDrain ? 'error' : 'info';
      // what nobody reads is not put together either
      if (!log.isLevelEnabled(level)) return;
      log[level]({
        context: 'http',
        requestId: context.requestId,
        method,
        path,
        status: response.statusCode,
        ms: Math.round((performance.now() - started) * 10) / 10,
        caller: context.principal ? principalKey(context.principal) : undefined,
        msg: `${method} ${path} ${response.statusCode}`,
      });
    });
    next();
  };
}
