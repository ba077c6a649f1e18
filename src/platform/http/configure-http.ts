import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { Unavailable } from '../../kernel/errors.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { setRateHeaders } from '../limits/rate-headers.js';
import { accessLog } from '../logging/access-log.js';
import { ErrorFilter } from './error.filter.js';
import { crossOrigin } from './cross-origin.js';
import { demandsHttps, httpsOnly } from './https-only.js';
import type { HeaderSet } from './security-headers.js';
import { securityHeaders } from './security-headers.js';
import { sequentially } from './sequentially.js';
import { rememberRequest } from '../request/current-request.js';
import { RequestMetricsService } from './request-metrics.service.js';
import { RequestBodiesService } from './request-bodies.service.js';
import { answerUnreadable } from './unreadable-request.js';
import { answerUnknownPaths } from './unknown-path.js';
import { requestValidation } from '../schemas/validation.js';

/** Paths outside the versioned API. Their responses have no envelope. */
export const UNVERSIONED = ['healthz', 'readyz', 'metrics', 'unsubscribe', 'chat', 'files/:id/:name'];

/** The prefix of all other paths. */
const PREFIX = '/v1';

/** Downloads of files, whose URLs carry a signature. */
const FILES = '/files';

/** Configures the middleware, filters and pipes that every request passes, in this order. */
export function configureHttp(
  app: NestExpressApplication,
  config: Config,
  log: Logger,
  headerSets: readonly HeaderSet[],
): void {
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');
  app.disable('x-powered-by');
  app.disable('etag');
  const lifecycle = app.get(LifecycleService);
  const isDraining = () => lifecycle.draining;
  const metrics = app.get(RequestMetricsService);
  const logged = accessLog(log, isDraining, (request, status, seconds) => metrics.observe(request, status, seconds));
  const security = securityHeaders(headerSets, demandsHttps(config));
  app.use(sequentially(logged, security, crossOrigin(app, PREFIX), refuseWhileDraining(isDraining)));
  app.use(
    PREFIX,
    sequentially(noStore, httpsOnly(config), app.get(RequestBodiesService).track, rememberRequest, setRateHeaders),
  );
  app.use(FILES, sequentially(httpsOnly(config), rememberRequest));
  answerUnreadable(app.getHttpServer());
  answerUnknownPaths(app);
  app.useGlobalFilters(new ErrorFilter(isDraining));
  app.useGlobalPipes(requestValidation());
}

function noStore(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}

/** Answers new requests with 503 while the instance drains, so that clients go to another instance. */
function refuseWhileDraining(isDraining: () => boolean) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!isDraining() || request.path === '/healthz' || request.path === '/readyz') return next();
    response.setHeader('Connection', 'close');
    next(new Unavailable());
  };
}
