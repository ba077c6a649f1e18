import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { serveWidget } from '../../src/serve-widget.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'support-chat-widget-'));
  mkdirSync(join(folder, 'widget/i18n-Ef56Gh78'), { recursive: true });
  writeFileSync(join(folder, 'widget.js'), 'loader');
  writeFileSync(join(folder, 'widget/app-Ab12Cd34.js'), 'chunk');
  writeFileSync(join(folder, 'widget/i18n-Ef56Gh78/he.json'), '{"send":"שליחה"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Serves a build on its own, without the rest of the service. */
function serve(built: string): express.Express {
  const app = express().set('query parser', 'simple').disable('etag');
  serveWidget({ getHttpAdapter: () => ({ getInstance: () => app }) } as unknown as NestExpressApplication, built);
  return app;
}

const cacheControl = async (path: string) =>
  ((await supertest(serve(folder)).get(path)).headers as Record<string, string>)['cache-control'];

describe('The files of the widget', () => {
  it('A browser keeps the loader for five minutes, and uses an older one for a day while it asks again.', async () => {
    expect(await cacheControl('/widget.js')).toBe('public, max-age=300, stale-while-revalidate=86400');
    expect(await cacheControl('/widget.js?v=1')).toBe('public, max-age=300, stale-while-revalidate=86400');
  });

  it('A loader that asks for a fresh loader gets one that no cache has kept.', async () => {
    expect(await cacheControl('/widget.js?fresh=1')).toBe('no-cache');
    expect(await cacheControl('/widget.js?fresh')).toBe('no-cache');
  });

  it('A browser keeps a chunk for ever, because its name changes with its content.', async () => {
    expect(await cacheControl('/widget/app-Ab12Cd34.js')).toBe('public, max-age=31536000, immutable');
  });

  it('A browser keeps the texts of a language for ever, and gets them as JSON.', async () => {
    const answer = await supertest(serve(folder)).get('/widget/i18n-Ef56Gh78/he.json');
    expect([answer.status, answer.body]).toEqual([200, { send: 'שליחה' }]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it('A chunk of another version is 404, and no cache keeps the answer.', async () => {
    const answer = await supertest(serve(folder)).get('/widget/app-Zz98Yy76.js');
    expect([answer.status, answer.headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it('A service without a built widget says which command builds it, and no cache keeps the answer.', async () => {
    const app = serve(join(folder, 'nowhere'));
    for (const path of ['/widget.js', '/widget/app-Ab12Cd34.js', '/chat?widget_token=wt_a']) {
      const answer = await supertest(app).get(path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 503, 'no-store']);
      expect(answer.text).toContain('`npm run build`');
    }
  });
});
