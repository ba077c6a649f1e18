import { CallHandler, ExecutionContext, Injectable, NestInterceptor, StreamableFile } from '@nestjs/common';
import type { Request } from 'express';
import { map, Observable } from 'rxjs';
import type { Envelope } from './request-context.js';
import { contextOf, envelope } from './request-context.js';
import { StreamedObject, streamed } from './streamed-object.js';

/** Puts what a handler returns into the standard envelope. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<unknown, Envelope<unknown> | StreamableFile> {
  intercept(context: ExecutionContext, next: CallHandler): Observable<Envelope<unknown> | StreamableFile> {
    if (context.getType() !== 'http') return next.handle() as Observable<never>;
    const { requestId } = contextOf(context.switchToHttp().getRequest<Request>());
    return next
      .handle()
      .pipe(
        map((data: unknown) =>
          data instanceof StreamedObject ? streamed(requestId, data) : envelope(requestId, data),
        ),
      );
  }
}
