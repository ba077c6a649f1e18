import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Access } from '../access/access.decorator.js';
import { ACCESS } from '../access/access.decorator.js';
import { JSON_BODY_BYTES, readJsonBody } from './json-body.js';
import { RequestBodies } from './request-bodies.js';

const VERSIONED = /^\/v1\//i;

/**
 * Reads the body once the caller is known and within its rates: nothing is kept for a caller that is refused. A guard,
 * because what comes after guards may look at the body: interceptors, and guards of single routes.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly bodies: RequestBodies,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (!VERSIONED.test(request.originalUrl)) return true;
    const declared = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, declared);
    const most = access?.public === false ? JSON_BODY_BYTES.authenticated : JSON_BODY_BYTES.public;
    request.body = await readJsonBody(this.bodies, request, most);
    return true;
  }
}
