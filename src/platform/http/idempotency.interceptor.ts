import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { from, lastValueFrom, Observable } from 'rxjs';
import { KeyedRequestsService } from './keyed-requests.service.js';
import type { PreparedEffect } from '../idempotency/prepared-effect.js';
import { PREPARES_EFFECT } from '../idempotency/prepared-effect.js';

/** Implements `Idempotency-Key` for authenticated POST routes. `@Creates` applies it to a handler. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly requests: KeyedRequestsService,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    const handle = () => lastValueFrom(next.handle());
    const prepares = this.reflector.get<boolean | undefined>(PREPARES_EFFECT, context.getHandler()) ?? false;
    return from(
      prepares
        ? this.requests.runPrepared(response, async () => ((await handle()) as PreparedEffect<unknown>).run)
        : this.requests.runOnce(response, handle),
    );
  }
}
