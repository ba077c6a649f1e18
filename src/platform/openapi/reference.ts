import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SwaggerModule } from '@nestjs/swagger';
import type { ApiDocument } from './document.js';

/** One media type and no links: the page need not say so at every answer, nor whose tool it was drawn with. */
const QUIET = `
.swagger-ui .topbar, .swagger-ui .response-col_links, .swagger-ui .response-control-media-type { display: none }
.swagger-ui .info { margin: 30px 0 }
.swagger-ui .info table { width: auto }
.swagger-ui .info table tbody tr td, .swagger-ui .info table thead tr th { padding: 4px 24px 4px 0 }
.swagger-ui .response-col_description__inner ul, .swagger-ui .response-col_description ul { margin: 0; padding-left: 18px }
`;

/** `/docs` for people, `/openapi.json` for programs. The document is put together when it is first asked for. */
export function serveReference(app: INestApplication, write: () => ApiDocument): void {
  let document: ApiDocument | undefined;
  SwaggerModule.setup('docs', app, () => (document ??= write()) as unknown as OpenAPIObject, {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Support chat: API reference',
    customCss: QUIET,
    swaggerOptions: { defaultModelsExpandDepth: 0, docExpansion: 'list', tagsSorter: 'alpha' },
  });
}
