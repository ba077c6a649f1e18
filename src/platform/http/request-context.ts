import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../kernel/principal.js';
import { nowWireTime } from '../../kernel/clock.js';

/** What travels with a request from its first middleware to its last log line. */
export interface RequestContext {
  requestId: string;
  principal?: Principal;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();
const ACCEPTED = /^[A-Za-z0-9._-]{8,128}$/;

export function newRequestId(): string {
  return randomBytes(12).toString('hex');
}

/** The context of a request; made at the first call, with the caller's `X-Request-Id` when it is a decent one. */
export function contextOf(request: IncomingMessage): RequestContext {
  const known = contexts.get(request);
  if (known) return known;
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && ACCEPTED.test(given) ? given : newRequestId();
  const context: RequestContext = { requestId };
  contexts.set(request, context);
  return context;
}

export interface Envelope<T> {
  ok: true;
  request_id: string;
  timestamp: string;
  data: T;
}

export function envelope<T>(requestId: string, data: T): Envelope<T> {
  return { ok: true, request_id: requestId, timestamp: nowWireTime(), data };
}
