import { applyDecorators, CanActivate, ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { RateLimitName } from '../../config/rate-limits.js';
import { principalKey } from '../../kernel/principal.js';
import { contextOf } from '../http/request-context.js';
import type { RateState } from './rate-limiter.js';
import { RateLimiter, rateHeaders, RateRefused } from './rate-limiter.js';

const RATE = 'rate';

/** A limit of this route besides the caller's general one; per credential, or per address where there is none. */
export function LimitRate(name: RateLimitName): MethodDecorator {
  return applyDecorators(SetMetadata(RATE, name), ApiExtension('x-rate-limit', name));
}

/**
 * After the access guard: counts the request against its caller's limit and the route's own. A caller is its credential
 * where it has one, for offices share an address. The headers tell of the limit that is nearest to its end.
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
    const response = context.switchToHttp().getResponse<Response>();
    const { principal } = contextOf(request);
    const key = principal ? principalKey(principal) : (request.ip ?? 'unknown');
    const own = this.reflector.get<RateLimitName | undefined>(RATE, context.getHandler());
    try {
      const states = [
        principal && principal.kind !== 'system' ? await this.limiter.consume(principal.kind, key) : null,
        own ? await this.limiter.consume(own, key) : null,
      ];
      const nearest = states.reduce(nearer, null);
      if (nearest) response.set(rateHeaders(nearest));
    } catch (refused) {
      if (refused instanceof RateRefused) response.set(rateHeaders(refused.state));
      throw refused;
    }
    return true;
  }
}

function nearer(a: RateState | null, b: RateState | null): RateState | null {
  if (a === null || b === null) return a ?? b;
  return b.remaining / b.limit < a.remaining / a.limit ? b : a;
}
