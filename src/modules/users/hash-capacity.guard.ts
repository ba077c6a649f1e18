import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UsersService } from './users.service.js';

/**
 * Refuses requests that need a password hash while the queue is full. It runs before validation and before any query,
 * for known and unknown e-mails alike: nearly all requests of a flood are refused, so a refusal must be cheap.
 */
@Injectable()
export class HashCapacityGuard implements CanActivate {
  constructor(private readonly users: UsersService) {}

  /** @throws RateLimited */
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<Request<unknown, unknown, { email?: unknown } | undefined>>();
    const email = typeof body?.email === 'string' ? body.email.trim().toLowerCase() : '';
    this.users.assertHashCapacity(email);
    return true;
  }
}
