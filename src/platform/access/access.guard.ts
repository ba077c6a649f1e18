import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { defineError } from '../../kernel/domain-error.js';
import { networkOf } from '../../kernel/client-origin.js';
import { InvalidToken, Unauthenticated } from '../../kernel/errors.js';
import { assertAllowed } from '../../kernel/permission.js';
import type { CredentialKind, Principal } from '../../kernel/principal.js';
import { contextOf } from '../request/request-context.js';
import { RateLimitService } from '../limits/rate-limit.service.js';
import type { Access } from './access.decorator.js';
import { ACCESS } from './access.decorator.js';
import { Authenticator, bearerToken } from './authenticator.js';

export const BrowserNotAllowed = defineError(
  'forbidden',
  'browser_not_allowed',
  'API keys cannot be used from a browser. Call this route from your backend.',
);

/** Detects headers that browsers add themselves and that no script can remove. */
function isBrowser({ headers }: Request): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
}

/** Authenticates and authorizes every HTTP request. A route without `@Public()` or `@Allow()` is denied. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly limiter: RateLimitService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (!access) throw new Unauthenticated();
    if (access.public) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const principal = await this.authenticate(request, access.kinds);
    assertAllowed(principal, access.permission, access.demands);
    if (access.keyOutsideBrowsers && principal.kind === 'api_key' && isBrowser(request)) throw new BrowserNotAllowed();
    contextOf(request).principal = principal;
    return true;
  }

  /** Rate-limits unknown credentials per network address. Valid credentials from the same address are not affected. */
  private async authenticate(request: Request, kinds: readonly CredentialKind[]): Promise<Principal> {
    try {
      return await this.authenticator.authenticate(bearerToken(request.headers.authorization), kinds);
    } catch (error) {
      if (error instanceof InvalidToken) {
        await this.limiter.fail('credential_unknown', networkOf(request.ip ?? 'unknown'));
      }
      throw error;
    }
  }
}
