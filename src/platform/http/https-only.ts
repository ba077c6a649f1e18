import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Config } from '../../config/config.js';
import { HttpsRequired } from '../../kernel/errors.js';

type Trust = (address: string | undefined, hop: number) => boolean;

/**
 * Tells whether the request reached the proxy over plain HTTP. It reads `X-Forwarded-Proto` from trusted proxies only;
 * without it, as for a health check inside the container, the request counts as secure.
 */
export function cameInsecurely(request: IncomingMessage, trust: Trust): boolean {
  const proto = request.headers['x-forwarded-proto'];
  if (typeof proto !== 'string' || !trust(request.socket.remoteAddress, 0)) return false;
  return proto.split(',')[0]?.trim().toLowerCase() === 'http';
}

/** Tells whether HTTPS is required: in production, unless `ALLOW_INSECURE_HTTP` is set for a trial. */
export function demandsHttps(config: Config): boolean {
  return config.production && !config.allowInsecureHttp;
}

/** Refuses requests over plain HTTP, so that clients notice that they send credentials unencrypted. */
export function httpsOnly(config: Config): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const trust = request.app.get('trust proxy fn') as Trust;
    next(demandsHttps(config) && cameInsecurely(request, trust) ? new HttpsRequired() : undefined);
  };
}
