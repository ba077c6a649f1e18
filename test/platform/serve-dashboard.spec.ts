import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { serveDashboard } from '../../src/serve-dashboard.js';

const PREVIEW = '<!doctype html><script type="module" src="./assets/preview-Ab12Cd34.js"></script>';
const PAGE = '<!doctype html><script type="module" src="./assets/index-Ab12Cd34.js"></script>';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'support-chat-dashboard-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'preview.html'), PREVIEW);
  writeFileSync(join(folder, 'assets/index-Ab12Cd34.js'), 'script');
  writeFileSync(join(folder, 'assets/index-Ab12Cd34.js.br'), 'compressed');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Serves a build on its own, without the rest of the service. */
function serve({ built = folder, publicUrl = 'https://chat.example', https = false } = {}): express.Express {
  const app = express().set('query parser', 'simple').disable('etag');
  const adapter = { getHttpAdapter: () => ({ getInstance: () => app }) } as unknown as NestExpressApplication;
  serveDashboard(adapter, publicUrl, https, built);
  return app;
}

const policyOf = async (app: express.Express) =>
  ((await supertest(app).get('/dashboard')).headers as Record<string, string>)['content-security-policy']?.split('; ');

describe('The files of the dashboard', () => {
  it('Every address of the dashboard without a file ending is the page, which browsers ask for again each time.', async () => {
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/login', '/dashboard/inbox/42?view=mine']) {
      const answer = await supertest(serve()).get(path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 200, 'no-cache']);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.text).toBe(PAGE.replace('./assets/', '/dashboard/assets/'));
    }
  });

  it('A browser that has the page gets 304, and HEAD gets the headers alone.', async () => {
    const { headers } = await supertest(serve()).get('/dashboard').set('Accept-Encoding', 'gzip');
    const again = await supertest(serve())
      .get('/dashboard/inbox')
      .set('If-None-Match', headers['etag'] as string);
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await supertest(serve()).head('/dashboard').set('Accept-Encoding', 'gzip');
    expect([head.status, head.text, head.headers['etag']]).toEqual([200, undefined, headers['etag']]);
  });

  it('The page names its assets below the path of the public URL.', async () => {
    const answer = await supertest(serve({ publicUrl: 'https://example.com/chat' })).get('/dashboard/inbox');
    expect(answer.text).toContain('"/chat/dashboard/assets/index-Ab12Cd34.js"');
  });

  it('A browser keeps an asset for ever, because its name changes with its content.', async () => {
    const answer = await supertest(serve()).get('/dashboard/assets/index-Ab12Cd34.js').set('Accept-Encoding', 'gzip');
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
  });

  it('An asset of another version and a path with a file ending are 404 and never the page, and no cache keeps the answer.', async () => {
    for (const path of ['/dashboard/assets/index-Zz98Yy76.js', '/dashboard/assets/gone', '/dashboard/logo.png']) {
      const answer = await supertest(serve()).get(path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 404, 'no-store']);
    }
  });

  it('The preview is a page that only the dashboard can frame, and it connects to the files of the widget alone.', async () => {
    const answer = await supertest(serve({ publicUrl: 'https://example.com/chat' })).get('/dashboard/preview.html');
    expect(answer.text).toBe(PREVIEW.replace('./assets/', '/chat/dashboard/assets/'));
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-frame-options': 'SAMEORIGIN' });
    const policy = String(answer.headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        'connect-src https://example.com/chat/widget/',
        "frame-ancestors 'self'",
        "trusted-types 'none'",
      ]),
    );
  });

  it('The policy of the page allows the service alone, sockets included, no frame around it, and no markup from text.', async () => {
    expect(await policyOf(serve())).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' https://chat.example data: blob: https:",
      "font-src 'self'",
      "media-src 'self' https://chat.example blob:",
      "connect-src 'self' https://chat.example wss://chat.example",
      "frame-src 'self'",
      "worker-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });

  it('The policy of a service that requires HTTPS upgrades every request of the page.', async () => {
    expect(await policyOf(serve({ https: true }))).toContain('upgrade-insecure-requests');
  });

  it('A service without a built dashboard names the command that builds it, and no cache keeps the answer.', async () => {
    const app = serve({ built: join(folder, 'nowhere') });
    for (const path of ['/dashboard', '/dashboard/inbox', '/dashboard/assets/index-Ab12Cd34.js']) {
      const answer = await supertest(app).get(path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 503, 'no-store']);
      expect(answer.text).toContain('`npm run build`');
    }
  });
});
