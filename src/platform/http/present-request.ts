import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { contextOf } from './request-context.js';

const requests = new AsyncLocalStorage<Request>();

/**
 * Makes the request known to everything that happens on its behalf, so that log lines and events can name it without
 * its being handed through every room. Comes after the body has been read: streams call back from nowhere.
 */
export function rememberRequest(request: Request, _response: Response, next: NextFunction): void {
  requests.run(request, next);
}

/** The id of the request that is being served; null in work that none has asked for. */
export function presentRequestId(): string | null {
  const request = requests.getStore();
  return request ? contextOf(request).requestId : null;
}

/** Where the request that is being served comes from; null in work that none has asked for. */
export function presentOrigin(): ClientOrigin | null {
  const request = requests.getStore();
  return request ? originOf(request) : null;
}

export function originOf(request: Request): ClientOrigin {
  return { address: request.ip ?? 'unknown', userAgent: request.headers['user-agent']?.slice(0, 400) ?? null };
}
