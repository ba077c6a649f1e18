import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Config } from '../../config/config.js';
import { HttpsRequired } from '../../kernel/errors.js';

type Trust = (address: string | undefined, hop: number) => boolean;

/**
 * Whether this came to the proxy over plain http. Only the word of a proxy that we trust counts; without it, as from a
 * probe inside the container, nothing is known and nothing is refused.
 */
export function cameInsecurely(request: IncomingMessage, trust: Trust): boolean {
  const said = request.headers['x-forwarded-proto'];
  if (typeof said !== 'string' || !trust(request.socket.remoteAddress, 0)) return false;
  return said.split(',')[0]?.trim().toLowerCase() === 'http';
}

/** Whether the rule holds at all: in production, unless it was switched off for a trial. */
export function demandsHttps(config: Config): boolean {
  return config.production && !config.allowInsecureHttp;
}

/** Refuses what a credential has already travelled in the open with. */
export function httpsOnly(config: Config): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const trust = request.app.get('trust proxy fn') as Trust;
    next(demandsHttps(config) && cameInsecurely(request, trust) ? new HttpsRequired() : undefined);
  };
}
