import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { apiDocument } from './api-document.js';
import { asyncDocument } from './asyncapi-document.js';
import { AppModule } from './app.module.js';
import { serveDocumentPages } from './pages.js';
import type { Config } from './config/config.js';
import { HEADER_SETS } from './header-sets.js';
import { serveDashboard } from './serve-dashboard.js';
import { serveWidget } from './serve-widget.js';
import { AccessGuard } from './platform/access/access.guard.js';
import { serveAsyncDocument } from './platform/asyncapi/serve.js';
import { configureHttp, UNVERSIONED } from './platform/http/configure-http.js';
import { demandsHttps } from './platform/http/https-only.js';
import { HttpAdapter } from './platform/http/http.adapter.js';
import { JsonBodyGuard } from './platform/http/json-body.guard.js';
import { RateLimitGuard } from './platform/limits/rate-limit.guard.js';
import { createLog, NestLog } from './platform/logging/log.js';
import { serveReference } from './platform/openapi/reference.js';
import { SocketAdapter } from './platform/sockets/socket.adapter.js';

export type App = NestExpressApplication;

/** The paths of most requests: messages of agents and visitors, and the inbox. */
export const FREQUENT_PATHS = [
  '/v1/conversations/:conversation_id/messages',
  '/v1/widget/conversations/:conversation_id/messages',
  '/v1/conversations',
];

/** Builds the application without listening. Used by `main`, the tests and the document generator. */
export async function createApp(config: Config, log: Logger = logFor(config), options: AppOptions = {}): Promise<App> {
  const adapter = new HttpAdapter(FREQUENT_PATHS);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), adapter, {
    logger: new NestLog(log),
    bodyParser: false,
    preview: options.preview ?? false,
    abortOnError: false,
  });
  app.setGlobalPrefix('v1', { exclude: UNVERSIONED });
  if (options.preview) return app;
  configureHttp(app, config, log, HEADER_SETS);
  serveDocumentPages(app);
  serveWidget(app);
  serveDashboard(app, config.publicUrl, demandsHttps(config));
  serveReference(app, () => apiDocument(app));
  serveAsyncDocument(app, () => asyncDocument(apiDocument(app)));
  app.useGlobalGuards(app.get(AccessGuard), app.get(RateLimitGuard), app.get(JsonBodyGuard));
  app.useWebSocketAdapter(new SocketAdapter(app));
  return app;
}

export interface AppOptions {
  /** Creates only routes and schemas, without any connection. Used to generate documents. */
  preview?: boolean;
}

export function logFor(config: Config): Logger {
  return createLog({ level: config.logLevel, pretty: config.logPretty });
}
