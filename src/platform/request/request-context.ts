import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../kernel/principal.js';
import { nowWireTime } from '../../kernel/clock.js';

/** Data attached to a request from its first middleware to its last log line. */
export interface RequestContext {
  requestId: string;
  principal?: Principal;
}

const CONTEXT = Symbol('request context');

interface Carrier extends IncomingMessage {
  [CONTEXT]?: RequestContext;
}

const ACCEPTED = /^[A-Za-z0-9._-]{8,128}$/;

const ID_BYTES = 12;
/** Random bytes for many ids at once, because each draw is a call into OpenSSL. */
const pool = Buffer.alloc(ID_BYTES * 256);
let unused = pool.length;

export function newRequestId(): string {
  if (unused >= pool.length) {
    randomFillSync(pool);
    unused = 0;
  }
  unused += ID_BYTES;
  return pool.toString('hex', unused - ID_BYTES, unused);
}

/** @returns the request's context, created on the first call. A valid `X-Request-Id` of the caller becomes its id. */
export function contextOf(request: Carrier): RequestContext {
  const known = request[CONTEXT];
  if (known) return known;
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && ACCEPTED.test(given) ? given : newRequestId();
  return (request[CONTEXT] = { requestId });
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
