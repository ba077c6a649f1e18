import { createParamDecorator, ExecutionContext, Param } from '@nestjs/common';
import type { Request } from 'express';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import type { Principal } from '../../kernel/principal.js';
import { originOf } from '../request/current-request.js';
import { contextOf } from '../request/request-context.js';
import { IdPipe } from '../schemas/validation.js';

/** Injects the principal that `@Allow` admitted. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = contextOf(context.switchToHttp().getRequest<Request>());
  if (!principal) throw new Error('@Caller() on a route without @Allow()');
  return principal;
});

/** Injects the request's address, network and user agent. */
export const Origin = createParamDecorator((_data: unknown, context: ExecutionContext): ClientOrigin =>
  originOf(context.switchToHttp().getRequest<Request>()),
);

/** Injects an id from the path. A malformed id is 404. */
export function IdParam(name = 'id'): ParameterDecorator {
  return Param(name, IdPipe);
}
