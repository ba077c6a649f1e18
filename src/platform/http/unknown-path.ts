import type { NestExpressApplication } from '@nestjs/platform-express';

/**
 * Answers every unknown path with 404 in the standard envelope. Nest does so only below its prefix; express would
 * answer other paths with an HTML page. The handler is mounted after all routes.
 */
export function answerUnknownPaths(app: NestExpressApplication): void {
  const adapter = app.getHttpAdapter();
  const belowPrefix = adapter.setNotFoundHandler?.bind(adapter);
  adapter.setNotFoundHandler = (handler, prefix, excluded) => {
    belowPrefix?.(handler, prefix, excluded);
    app.use(handler);
  };
}
