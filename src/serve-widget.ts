import { fileURLToPath } from 'node:url';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application, Request } from 'express';
import { readBuiltFiles } from './platform/web/built-files.js';
import { sendPlainText, serveBuiltFiles } from './platform/web/serve-built-files.js';

/** Resolves to the same folder from `src` and from `dist`, which are sibling folders. */
const BUILT_WIDGET = fileURLToPath(new URL('../clients/widget/dist', import.meta.url));

/** The loader has a constant name. The names of all other files change with their content. */
const LOADER = '/widget.js';
const FILES = '/widget/*path';
const CHAT_PAGE = '/chat';

const NOT_BUILT = 'The widget is not built. Run `npm run build` and start the service again.';

/**
 * Serves the files of the widget. A service without them runs as well, and says what is missing: the API does not need
 * them, and tests and other programs start it before any build.
 */
export function serveWidget(app: NestExpressApplication, folder = BUILT_WIDGET): void {
  const router = app.getHttpAdapter().getInstance() as Application;
  const files = readBuiltFiles(folder);
  if (files) router.get([LOADER, FILES], serveBuiltFiles(files, cacheControl));
  else router.get([LOADER, FILES, CHAT_PAGE], (_request, response) => sendPlainText(response, 503, NOT_BUILT));
}

/**
 * A loader whose chunk is missing, because another version answered, loads `/widget.js?fresh=1`. A cached answer would
 * name the missing chunk again.
 */
function cacheControl({ path, query }: Request): string {
  if (path !== LOADER) return 'public, max-age=31536000, immutable';
  return query.fresh === undefined ? 'public, max-age=300, stale-while-revalidate=86400' : 'no-cache';
}
