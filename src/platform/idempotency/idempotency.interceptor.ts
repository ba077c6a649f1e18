import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, Observable } from 'rxjs';
import { principalKey, scopeOf } from '../../kernel/principal.js';
import { contextOf } from '../http/request-context.js';
import { Idempotency } from './idempotency.service.js';

/** Honours `Idempotency-Key` on every authenticated POST that creates: part of what `@Creates` says of a handler. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly idempotency: Idempotency) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.headers['idempotency-key'];
    const { principal } = contextOf(request);
    if (key === undefined || !principal) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const once = this.idempotency.once(
      {
        key: typeof key === 'string' ? key : '',
        owner: `${principalKey(principal)}\n${JSON.stringify(scopeOf(principal))}\n${request.originalUrl}`,
        workspaceId: principal.workspaceId,
        body: request.body as unknown,
      },
      async () => {
        const data: unknown = await lastValueFrom(next.handle());
        return { status: response.statusCode, data };
      },
    );
    return from(
      once.then(outcome => {
        if (outcome.replayed) response.set('Idempotency-Replayed', 'true');
        if (!outcome.ok) throw outcome.error;
        response.status(outcome.status);
        return outcome.data;
      }),
    );
  }
}
