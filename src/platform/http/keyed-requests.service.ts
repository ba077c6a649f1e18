import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { principalKey, rightsKey } from '../../kernel/principal.js';
import { contextOf } from '../request/request-context.js';
import type { IdempotentRequest, Outcome } from '../idempotency/idempotency.service.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';

/** Runs the work of authenticated POST requests once per `Idempotency-Key`, and of those without a key as it is. */
@Injectable()
export class KeyedRequestsService {
  constructor(private readonly idempotency: IdempotencyService) {}

  /** @param work returns the data of the answer, and may set the status of `response` */
  async runOnce<T>(response: Response, work: () => Promise<T>): Promise<T> {
    const request = idempotentRequestOf(response.req);
    if (!request) return work();
    const outcome = await this.idempotency.runOnce(request, async () => answerOf(response, await work()));
    return toAnswer<T>(outcome, response);
  }

  /**
   * Prepares the work outside the transaction of the key, and not at all for a retry with a stored answer.
   * @param prepare returns the work
   */
  async runPrepared<T>(response: Response, prepare: () => Promise<() => Promise<T>>): Promise<T> {
    const request = idempotentRequestOf(response.req);
    if (!request) return (await prepare())();
    const stored = await this.idempotency.replay(request);
    if (stored) return toAnswer<T>(stored, response);
    // an error of `prepare` is rethrown inside `runOnce`, so that it is stored like any other
    const [work] = await Promise.allSettled([prepare()]);
    const outcome = await this.idempotency.runOnce(request, async () => {
      if (work.status === 'rejected') throw work.reason;
      return answerOf(response, await work.value());
    });
    return toAnswer<T>(outcome, response);
  }
}

function idempotentRequestOf(request: Request): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  const { principal } = contextOf(request);
  if (key === undefined || !principal) return null;
  return {
    key: typeof key === 'string' ? key : '',
    owner: `${principalKey(principal)}\n${rightsKey(principal)}\n${request.originalUrl}`,
    workspaceId: principal.workspaceId,
    body: request.body as unknown,
    row: Object.values(request.params).find(value => typeof value === 'string'),
  };
}

function answerOf(response: Response, data: unknown): { status: number; data: unknown } {
  return { status: response.statusCode, data };
}

function toAnswer<T>(outcome: Outcome, response: Response): T {
  if (outcome.replayed) response.set('Idempotency-Replayed', 'true');
  if (!outcome.ok) throw outcome.error;
  response.status(outcome.status);
  return outcome.data as T;
}
