import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { principalKey } from '../../kernel/principal.js';
import { contextOf } from '../request/request-context.js';

/** Paths that are logged only on errors, because probes request them every few seconds. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Logs one line per answered request and sets `X-Request-Id`. The path is logged without its query, which may contain
 * tokens.
 * @param isDraining while true, a 503 is expected: it is not logged for probes, and logged at level info for requests
 * @param onEnd is called for each answered request, logged or not
 */
export function accessLog(
  log: Logger,
  isDraining: () => boolean,
  onEnd: (request: Request, status: number, seconds: number) => void,
): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const context = contextOf(request);
    const started = performance.now();
    const { method, path } = request;
    response.setHeader('X-Request-Id', context.requestId);
    response.on('finish', () => {
      const ms = performance.now() - started;
      onEnd(request, response.statusCode, ms / 1_000);
      const refusedByDrain = response.statusCode === 503 && isDraining();
      if (QUIET.has(path) && (response.statusCode < 400 || refusedByDrain)) return;
      const level = response.statusCode >= 500 && !refusedByDrain ? 'error' : 'info';
      // skip building the line when its level is off
      if (!log.isLevelEnabled(level)) return;
      log[level]({
        context: 'http',
        requestId: context.requestId,
        method,
        path,
        status: response.statusCode,
        ms: Math.round(ms * 10) / 10,
        caller: context.principal ? principalKey(context.principal) : undefined,
        msg: `${method} ${path} ${response.statusCode}`,
      });
    });
    next();
  };
}
