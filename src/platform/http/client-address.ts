import type { IncomingMessage } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import type { Express, Request } from 'express';

/**
 * Resolves client addresses by the rule of `request.ip` (`TRUST_PROXY`), for requests that never reach Express.
 */
export function clientAddresses(app: INestApplication): (request: IncomingMessage) => string {
  const { request: prototype } = app.getHttpAdapter().getInstance() as Express;
  return ({ headers, socket }) => {
    const request = Object.assign(Object.create(prototype) as Request, { headers, socket });
    return request.ip ?? 'unknown';
  };
}
