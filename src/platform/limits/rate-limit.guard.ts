import { applyDecorators, CanActivate, ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { RateLimitName } from '../../config/rate-limits.js';
import { networkOf } from '../../kernel/client-origin.js';
import { principalKey, sendsRequests } from '../../kernel/principal.js';
import { contextOf } from '../request/request-context.js';
import { RateLimitService } from './rate-limit.service.js';

const RATE = 'rate';

/** Adds a limit to the route, besides the caller's general one. Counts per credential, or per address without one. */
export function LimitRate(name: RateLimitName): MethodDecorator {
  return applyDecorators(SetMetadata(RATE, name), ApiExtension('x-rate-limit', name));
}

/**
 * Counts the request against its caller's limit and the route's limit. Runs after the access guard and counts by
 * credential where there is one, because an office shares one address.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimitService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const { principal } = contextOf(request);
    const key = principal ? principalKey(principal) : networkOf(request.ip ?? 'unknown');
    const routeLimit = this.reflector.get<RateLimitName | undefined>(RATE, context.getHandler());
    if (principal && sendsRequests(principal)) await this.limiter.consume(principal.kind, key);
    if (routeLimit) await this.limiter.consume(routeLimit, key);
    return true;
  }
}
