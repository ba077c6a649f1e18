import type { INestApplication } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AsyncDocument } from './document.js';

/** Serves `/asyncapi.json` without authentication, like `/openapi.json`. The document is built on the first request. */
export function serveAsyncDocument(app: INestApplication, write: () => AsyncDocument): void {
  let text: string | undefined;
  const router = app.getHttpAdapter();
  router.get('/asyncapi.json', (_request: Request, response: Response) => {
    text ??= JSON.stringify(write());
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.type('json').send(text);
  });
}
