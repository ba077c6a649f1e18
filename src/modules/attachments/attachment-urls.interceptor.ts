import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { map } from 'rxjs';
import { AttachmentViewsService } from './attachment-views.service.js';

/**
 * Adds URLs to the attachments of answered messages. Kept answers of an `Idempotency-Key` contain none, so a replayed one
 * has fresh URLs: set this on the controller of a route with `@Creates`, because those of controllers run before those of
 * routes.
 */
@Injectable()
export class AttachmentUrlsInterceptor implements NestInterceptor {
  constructor(private readonly views: AttachmentViewsService) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map(answer => this.views.render(answer as object)));
  }
}
