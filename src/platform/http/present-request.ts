import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { networkOf } from '../../kernel/client-origin.js';
import type { RateState } from '../limits/rate-state.js';
import { contextOf } from './request-context.js';

/** What is asked of a request later; read when it comes, for whoever hangs up at once has no address any more. */
interface PresentRequest {
  requestId: string;
  origin: ClientOrigin;
  /** Whether the answer is finished or the caller has disconnected. */
  closed: boolean;
  /** Hears of each limit that is counted on the request's behalf. */
  hearsRate?: (state: RateState) => void;
}

const requests = new AsyncLocalStorage<PresentRequest>();

/**
 * Makes the request known to everything that happens on its behalf, so that log lines and events can name it without
 * its being handed through every room.
 *
 * A pooled connection, a timer or a kept promise that is made in this context holds it for its own lifetime. So the
 * context never refers to the request, the response or the socket once the response is closed.
 */
export function rememberRequest(request: Request, response: Response, next: NextFunction): void {
  const { requestId } = contextOf(request);
  const present: PresentRequest = { requestId, origin: originOf(request), closed: false };
  response.once('close', () => {
    present.closed = true;
    delete present.hearsRate;
  });
  requests.run(present, next);
}

/** The id of the request that is being served; null in work that none has asked for. */
export function presentRequestId(): string | null {
  return requests.getStore()?.requestId ?? null;
}

/** Where the request that is being served comes from; null in work that none has asked for. */
export function presentOrigin(): ClientOrigin | null {
  return requests.getStore()?.origin ?? null;
}

/** To be asked later: whether the present request's caller has hung up by then. Work that none has asked for never has. */
export function presentCallerHasGone(): () => boolean {
  const present = requests.getStore();
  return () => present?.closed ?? false;
}

/** From now on, whatever limit the present request is counted against, however deep inside, `hears` is told of it. */
export function onRates(hears: (state: RateState) => void): void {
  const present = requests.getStore();
  if (present && !present.closed) present.hearsRate = hears;
}

/** Tells the present request, where there is one, where its caller stands now. */
export function runWithRequest(state: RateState): void {
  requests.getStore()?.hearsRate?.(state);
}

export function originOf(request: Request): ClientOrigin {
  const address = request.ip ?? 'unknown';
  return { address, network: networkOf(address), userAgent: request.headers['user-agent']?.slice(0, 400) || null };
}
