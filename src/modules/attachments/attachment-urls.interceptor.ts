import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { map } from 'rxjs';
import { AttachmentViewsService } from './attachment-views.service.js';

/**
 * Adds URLs to the attachments of answered messages. It surrounds the interceptor for `Idempotency-Key`, so kept answers
 * contain no URL, and a replayed one has fresh ones. Set it on controllers, because those run before those of routes.
 */
@Injectable()
export class AttachmentUrlsInterceptor implements NestInterceptor {
  constructor(private readonly views: AttachmentViewsService) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map(answer => this.views.render(answer as object)));
  }
}
