import { applyDecorators, CanActivate, ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { RateLimitName } from '../../config/rate-limits.js';
import { networkOf } from '../../kernel/client-origin.js';
import { principalKey } from '../../kernel/principal.js';
import { contextOf } from '../http/request-context.js';
import { RateLimiter } from './rate-limiter.js';

const RATE = 'rate';

/** A limit of this route besides the caller's general one; per credential, or per address where there is none. */
export function LimitRate(name: RateLimitName): MethodDecorator {
  return applyDecorators(SetMetadata(RATE, name), ApiExtension('x-rate-limit', name));
}

/**
 * After the access guard: counts the request against its caller's limit and the route's own. A caller is its credential
 * where it has one, for offices share an address.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const { principal } = contextOf(request);
    const key = principal ? principalKey(principal) : networkOf(request.ip ?? 'unknown');
    const own = this.reflector.get<RateLimitName | undefined>(RATE, context.getHandler());
    if (principal && principal.kind !== 'system') await this.limiter.consume(principal.kind, key);
    if (own) await this.limiter.consume(own, key);
    return true;
  }
}
