import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SwaggerModule } from '@nestjs/swagger';
import type { ApiDocument } from './document.js';

/** Hides Swagger UI's top bar and the media type and link columns, which are the same for every response. */
const STYLES = `
.swagger-ui .topbar, .swagger-ui .response-col_links, .swagger-ui .response-control-media-type { display: none }
.swagger-ui .info { margin: 30px 0 }
.swagger-ui .info table { width: auto }
.swagger-ui .info table tbody tr td, .swagger-ui .info table thead tr th { padding: 4px 24px 4px 0 }
.swagger-ui .response-col_description__inner ul, .swagger-ui .response-col_description ul { margin: 0; padding-left: 18px }
`;

/** Serves the reference at `/docs` and `/openapi.json`. The document is built on the first request. */
export function serveReference(app: INestApplication, write: () => ApiDocument): void {
  let document: ApiDocument | undefined;
  SwaggerModule.setup('docs', app, () => (document ??= write()) as unknown as OpenAPIObject, {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Support chat: API reference',
    customCss: STYLES,
    swaggerOptions: { defaultModelsExpandDepth: 0, docExpansion: 'list', tagsSorter: 'alpha' },
  });
}
