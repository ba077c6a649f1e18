import type { NestExpressApplication } from '@nestjs/platform-express';

/**
 * Nest answers unknown paths below its prefix and leaves those outside to express, which answers a page of HTML that
 * no client can read. They get the same 404 in the same envelope, after everything that Nest and others have mounted.
 */
export function answerUnknownPaths(app: NestExpressApplication): void {
  const adapter = app.getHttpAdapter();
  const belowPrefix = adapter.setNotFoundHandler?.bind(adapter);
  adapter.setNotFoundHandler = (handler, prefix, excluded) => {
    belowPrefix?.(handler, prefix, excluded);
    app.use(handler);
  };
}
