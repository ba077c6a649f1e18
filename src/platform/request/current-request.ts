import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { networkOf } from '../../kernel/client-origin.js';
import type { RateState } from './rate-state.js';
import { contextOf } from './request-context.js';

/**
 * The request's data that later code needs. Copied on arrival, because a disconnected request has no address any more.
 */
interface CurrentRequest {
  requestId: string;
  origin: ClientOrigin;
  /** True once the response is finished or the caller has disconnected. */
  closed: boolean;
  /** Called for each limit that the request is counted against. */
  onRate?: (state: RateState) => void;
}

const requests = new AsyncLocalStorage<CurrentRequest>();

/**
 * Middleware that stores the request in an async context, so that log lines and events can name it without passing it
 * through every function.
 *
 * A pooled connection, a timer or a promise created in this context keeps the context alive. The context therefore
 * holds no reference to the request, the response or the socket once the response is closed.
 */
export function rememberRequest(request: Request, response: Response, next: NextFunction): void {
  const { requestId } = contextOf(request);
  const current: CurrentRequest = { requestId, origin: originOf(request), closed: false };
  response.once('close', () => {
    current.closed = true;
    delete current.onRate;
  });
  requests.run(current, next);
}

/** @returns the current request's id; null outside a request */
export function getRequestId(): string | null {
  return requests.getStore()?.requestId ?? null;
}

/** @returns the current request's origin; null outside a request */
export function getRequestOrigin(): ClientOrigin | null {
  return requests.getStore()?.origin ?? null;
}

/**
 * @returns a function that is true once the current request's caller has disconnected; always false outside a request
 */
export function createDisconnectCheck(): () => boolean {
  const current = requests.getStore();
  return () => current?.closed ?? false;
}

/** Calls the listener for every limit that the current request is counted against from now on. */
export function onRates(listener: (state: RateState) => void): void {
  const current = requests.getStore();
  if (current && !current.closed) current.onRate = listener;
}

/** Reports the state of a limit to the current request's listener, if there is one. */
export function reportRate(state: RateState): void {
  requests.getStore()?.onRate?.(state);
}

export function originOf(request: Request): ClientOrigin {
  const address = request.ip ?? 'unknown';
  return { address, network: networkOf(address), userAgent: request.headers['user-agent']?.slice(0, 400) || null };
}
