import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application, Request, Response } from 'express';
import { builtFileOf, readBuiltFiles, type BuiltFile } from './platform/web/built-files.js';
import { sendBuiltFile, sendPlainText, serveBuiltFiles } from './platform/web/serve-built-files.js';

/** Resolves to the same folder from `src` and from `dist`, which are sibling folders. */
const BUILT_DASHBOARD = fileURLToPath(new URL('../clients/dashboard/dist', import.meta.url));

const PATH = '/dashboard';
const ASSETS = `${PATH}/assets/*path`;
/** The page of the dashboard has many addresses: the script in it shows the screen of each. */
const PAGES = [PATH, `${PATH}/*path`];
/** The widget with settings that are not saved, in a frame of the dashboard. */
const PREVIEW = `${PATH}/preview.html`;

const NOT_BUILT = 'The dashboard is not built. Run `npm run build` and start the service again.';
const NO_FILE = 'This file does not exist in this version of the service.';

/**
 * Serves the dashboard: its page at every address below `/dashboard` that has no file ending, and its assets. A service
 * without a built dashboard runs as well, and names the command that builds it.
 * @param publicUrl its path is that of the service behind a proxy, which the proxy removes from each request
 * @param https the service requires HTTPS
 */
export function serveDashboard(
  app: NestExpressApplication,
  publicUrl: string,
  https: boolean,
  folder = BUILT_DASHBOARD,
): void {
  const router = app.getHttpAdapter().getInstance() as Application;
  const built = readBuiltFiles(folder);
  const page = built?.get('/index.html');
  if (!built || !page) {
    router.get(PAGES, (_request, response) => sendPlainText(response, 503, NOT_BUILT));
    return;
  }
  const files = new Map([...built].map(([path, file]) => [PATH + path, file]));
  const base = new URL(publicUrl).pathname.replace(/\/$/, '') + PATH;
  const placedPage = withAssetsBelow(page, base);
  const policy = pagePolicy(publicUrl, https);
  router.get(
    ASSETS,
    serveBuiltFiles(files, () => 'public, max-age=31536000, immutable'),
  );
  const preview = built.get('/preview.html');
  if (preview) servePreview(router, withAssetsBelow(preview, base), previewPolicy(publicUrl, https));
  router.get(PAGES, (request: Request, response: Response) => {
    if (extname(request.path)) return sendPlainText(response, 404, NO_FILE);
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Cache-Control', 'no-cache');
    response.type('html');
    sendBuiltFile(request, response, placedPage);
  });
}

/** Only the dashboard may show the preview in a frame. */
function servePreview(router: Application, page: BuiltFile, policy: string): void {
  router.get(PREVIEW, (request, response) => {
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('X-Frame-Options', 'SAMEORIGIN');
    response.setHeader('Cache-Control', 'no-cache');
    response.type('html');
    sendBuiltFile(request, response, page);
  });
}

/** The build names assets relative to its page. At nested addresses of the page only absolute paths find them. */
function withAssetsBelow({ representations }: BuiltFile, path: string): BuiltFile {
  const text = representations.at(-1)?.bytes.toString() ?? '';
  return builtFileOf(text.replaceAll('"./assets/', `"${path}/assets/`));
}

/**
 * Allows scripts, styles and connections of the service alone, and pictures from anywhere by HTTPS, because avatars can
 * be anywhere. Trusted Types without any policy keep markup in messages from running.
 */
function pagePolicy(publicUrl: string, https: boolean): string {
  const { origin } = new URL(publicUrl);
  return joinPolicy(https, [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${origin} data: blob: https:`,
    "font-src 'self'",
    `media-src 'self' ${origin} blob:`,
    // older browsers do not include web sockets in 'self'
    `connect-src 'self' ${origin} ${origin.replace(/^http/, 'ws')}`,
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
}

/** Allows connections to the files of the widget alone, so that a preview cannot reach the API. */
function previewPolicy(publicUrl: string, https: boolean): string {
  const { origin } = new URL(publicUrl);
  const media = `'self' ${origin} data: blob: https:`;
  return joinPolicy(https, [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${media}`,
    `media-src ${media}`,
    `connect-src ${publicUrl.replace(/\/$/, '')}/widget/`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ]);
}

function joinPolicy(https: boolean, directives: string[]): string {
  const all = [...directives, "require-trusted-types-for 'script'", "trusted-types 'none'"];
  return [...all, ...(https ? ['upgrade-insecure-requests'] : [])].join('; ');
}
