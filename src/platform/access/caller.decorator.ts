import { createParamDecorator, ExecutionContext, Param } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../../kernel/principal.js';
import { contextOf } from '../http/request-context.js';
import { IdPipe } from '../http/validation.js';

/** The principal of the request: whoever `@Allow` let in. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = contextOf(context.switchToHttp().getRequest<Request>());
  if (!principal) throw new Error('@Caller() on a route without @Allow()');
  return principal;
});

/** Where a request comes from; what limits and the event log know of a caller without a credential. */
export interface ClientOrigin {
  address: string;
  userAgent: string | null;
}

export const Origin = createParamDecorator((_data: unknown, context: ExecutionContext): ClientOrigin => {
  const request = context.switchToHttp().getRequest<Request>();
  return { address: request.ip ?? 'unknown', userAgent: request.headers['user-agent']?.slice(0, 400) ?? null };
});

/** An id in the path; a malformed one is 404. */
export function IdParam(name = 'id'): ParameterDecorator {
  return Param(name, IdPipe);
}
