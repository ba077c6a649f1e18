import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UsersService } from './users.service.js';

/**
 * Protects the routes that hash a password. While too many wait, a request is refused before its body is validated and
 * the database is asked, whether or not there is such a user: of a flood nearly all are refused, so what a refusal
 * costs is what the flood costs everybody else.
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
