import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Access } from '../access/access.decorator.js';
import { ACCESS } from '../access/access.decorator.js';
import { JSON_BODY_BYTES, readJsonBody } from './json-body.js';
import { assertMultipart, TAKES_FILE } from './takes-file.decorator.js';
import { RequestBodiesService } from './request-bodies.service.js';

const VERSIONED = /^\/v1\//i;

/**
 * Reads the body after authentication and rate limits, so that a refused caller uses no memory. It is a guard, because
 * interceptors and the guards of single routes may read the body. The body of a route that takes a file is left to its
 * handler.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly bodies: RequestBodiesService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (!VERSIONED.test(request.originalUrl)) return true;
    const declared = [context.getHandler(), context.getClass()];
    if (this.reflector.get<boolean | undefined>(TAKES_FILE, context.getHandler())) {
      assertMultipart(request);
      return true;
    }
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, declared);
    const maxBytes = access?.public === false ? JSON_BODY_BYTES.authenticated : JSON_BODY_BYTES.public;
    request.body = await readJsonBody(this.bodies, request, maxBytes);
    return true;
  }
}
