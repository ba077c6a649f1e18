import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, lastValueFrom, mergeMap, Observable } from 'rxjs';
import type { Principal } from '../../kernel/principal.js';
import { principalKey, scopeOf } from '../../kernel/principal.js';
import { contextOf } from '../http/request-context.js';
import type { IdempotentRequest, Outcome } from './idempotency.service.js';
import { IdempotencyService } from './idempotency.service.js';
import type { PreparedEffect } from './prepared-effect.js';
import { PREPARES_EFFECT } from './prepared-effect.js';

/** Honours `Idempotency-Key` on every authenticated POST that creates: part of what `@Creates` says of a handler. */
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
      ? this.prepared(request, lastOf(next), effect => answer(runEffect(effect)))
      : this.idempotency.runOnce(request, () => answer(lastOf(next)()));
    return from(outcome.then(done => toAnswer(done, response)));
  }

  /** What a handler prepares is done outside of the transaction, and not at all for a retry that has its answer. */
  private async prepared(
    request: IdempotentRequest,
    prepare: () => Promise<unknown>,
    run: (effect: unknown) => Promise<{ status: number; data: unknown }>,
  ): Promise<Outcome> {
    const kept = await this.idempotency.replay(request);
    if (kept) return kept;
    // a refusal is kept like any other, so it is thrown again where answers are kept
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
    owner: `${principalKey(principal)}\n${reachOf(principal)}\n${request.originalUrl}`,
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

/** Sessions of one member that differ in scope or in rights do not share answers. */
function reachOf(principal: Principal): string {
  const scope = JSON.stringify(scopeOf(principal));
  return principal.kind === 'agent' && principal.workspaceBound ? `${scope} minted by a key` : scope;
}
