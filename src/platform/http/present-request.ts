import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { networkOf } from '../../kernel/client-origin.js';
import type { RateState } from '../limits/rate-state.js';
import { contextOf } from './request-context.js';

/** What is asked of a request later; read when it comes, for whoever hangs up at once has no address any more. */
interface PresentRequest {
  requestId: string;
  origin: ClientOrigin;
  connection: Socket;
  /** Hears of each limit that is counted on the request's behalf. */
  hearsRate?: (state: RateState) => void;
}

const requests = new AsyncLocalStorage<PresentRequest>();

/**
 * Makes the request known to everything that happens on its behalf, so that log lines and events can name it without
 * its being handed through every room. Comes after the body has been read: streams call back from nowhere.
 */
export function rememberRequest(request: Request, _response: Response, next: NextFunction): void {
  const { requestId } = contextOf(request);
  requests.run({ requestId, origin: originOf(request), connection: request.socket }, next);
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
  const connection = requests.getStore()?.connection;
  return () => connection?.destroyed ?? false;
}

/** From now on, whatever limit the present request is counted against, however deep inside, `hears` is told of it. */
export function onRates(hears: (state: RateState) => void): void {
  const present = requests.getStore();
  if (present) present.hearsRate = hears;
}

/** Tells the present request, where there is one, where its caller stands now. */
export function tellPresentRequest(state: RateState): void {
  requests.getStore()?.hearsRate?.(state);
}

export function originOf(request: Request): ClientOrigin {
  const address = request.ip ?? 'unknown';
  return { address, network: networkOf(address), userAgent: request.headers['user-agent']?.slice(0, 400) || null };
}
