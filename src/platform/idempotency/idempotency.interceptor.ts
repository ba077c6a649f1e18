import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, lastValueFrom, mergeMap, Observable } from 'rxjs';
import { principalKey, rightsKey } from '../../kernel/principal.js';
import { contextOf } from '../request/request-context.js';
import type { IdempotentRequest, Outcome } from './idempotency.service.js';
import { IdempotencyService } from './idempotency.service.js';
import type { PreparedEffect } from './prepared-effect.js';
import { PREPARES_EFFECT } from './prepared-effect.js';

/** Implements `Idempotency-Key` for authenticated POST routes. `@Creates` applies it to a handler. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    const prepares = this.reflector.get<boolean | undefined>(PREPARES_EFFECT, context.getHandler()) ?? false;
    const request = idempotentRequestOf(context.switchToHttp().getRequest<Request>());
    if (!request) return prepares ? next.handle().pipe(mergeMap(effect => runEffect(effect))) : next.handle();
    const answer = async (data: Promise<unknown>) => ({ data: await data, status: response.statusCode });
    const outcome = prepares
      ? this.runPrepared(request, lastOf(next), effect => answer(runEffect(effect)))
      : this.idempotency.runOnce(request, () => answer(lastOf(next)()));
    return from(outcome.then(done => toAnswer(done, response)));
  }

  /** Prepares the effect outside the transaction, and not at all for a retry with a stored answer. */
  private async runPrepared(
    request: IdempotentRequest,
    prepare: () => Promise<unknown>,
    run: (effect: unknown) => Promise<{ status: number; data: unknown }>,
  ): Promise<Outcome> {
    const stored = await this.idempotency.replay(request);
    if (stored) return stored;
    // an error of `prepare` is rethrown inside `runOnce`, so that it is stored like any other
    const [effect] = await Promise.allSettled([prepare()]);
    return this.idempotency.runOnce(request, async () => {
      if (effect.status === 'rejected') throw effect.reason;
      return run(effect.value);
    });
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

function lastOf(next: CallHandler): () => Promise<unknown> {
  return () => lastValueFrom(next.handle());
}

function runEffect(effect: unknown): Promise<unknown> {
  return (effect as PreparedEffect<unknown>).run();
}

function toAnswer(outcome: Outcome, response: Response): unknown {
  if (outcome.replayed) response.set('Idempotency-Replayed', 'true');
  if (!outcome.ok) throw outcome.error;
  response.status(outcome.status);
  return outcome.data;
}
