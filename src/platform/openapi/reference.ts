import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SwaggerModule } from '@nestjs/swagger';
import type { ApiDocument } from './document.js';

/** `/docs` for people, `/openapi.json` for programs. The document is put together when it is first asked for. */
export function serveReference(app: INestApplication, write: () => ApiDocument): void {
  let document: ApiDocument | undefined;
  SwaggerModule.setup('docs', app, () => (document ??= write()) as unknown as OpenAPIObject, {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Support chat: API reference',
    swaggerOptions: { defaultModelsExpandDepth: 0, docExpansion: 'list', tagsSorter: 'alpha' },
  });
}
