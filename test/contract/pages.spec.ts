import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeCodes } from '../../src/kernel/close-codes.js';
import { EVENT_REGISTRY } from '../../src/events.js';
import { EPHEMERAL_FRAMES, eventFramesOf } from '../../src/modules/realtime/index.js';
import { World } from '../support/world.js';

const EVENT_FRAMES = eventFramesOf(EVENT_REGISTRY);

let world: World;
beforeAll(async () => void (world = await World.start()));
afterAll(() => world.stop());

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const PAGES = ['/', '/docs/realtime', '/docs/events'];

interface PageResponse {
  status: number;
  headers: Headers;
  text: string;
}

async function get(path: string, headers: Record<string, string> = BROWSER): Promise<PageResponse> {
  const answer = await fetch(new URL(path, world.app.url), { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** @returns the links of a page to this service */
function linksOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|src)="(\/[^"]*)"/g)].map(([, href]) => href ?? '');
}

describe('HTML pages', () => {
  it('A browser at the root gets a page with links to the reference, the realtime guide, the events and the health check', async () => {
    const { status, headers, text } = await get('/');
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'text/html; charset=utf-8',
      expect.stringMatching(/\bAccept\b/),
    ]);
    expect(text).toMatch(/<h1 id="[a-z-]+">Support chat platform<\/h1>/);
    expect(linksOf(text)).toEqual(
      expect.arrayContaining([
        '/docs',
        '/openapi.json',
        '/docs/realtime',
        '/asyncapi.json',
        '/docs/events',
        '/healthz',
      ]),
    );
  });

  it.each(['*/*', 'application/json'])(
    'A program at the root (Accept: %s) gets the links as JSON in the envelope',
    async Accept => {
      const { status, headers, text } = await get('/', { Accept });
      const { ok, request_id: requestId, timestamp, data } = JSON.parse(text) as Record<string, never>;
      expect([status, headers.get('content-type'), headers.get('vary'), ok]).toEqual([
        200,
        'application/json; charset=utf-8',
        expect.stringMatching(/\bAccept\b/),
        true,
      ]);
      expect([requestId, typeof timestamp]).toEqual([headers.get('x-request-id'), 'string']);
      expect(data).toEqual({
        name: 'Support chat platform',
        links: {
          reference: '/docs',
          openapi: '/openapi.json',
          realtime: '/docs/realtime',
          asyncapi: '/asyncapi.json',
          events: '/docs/events',
          health: '/healthz',
        },
      });
    },
  );

  it('The realtime page shows the whole of docs/REALTIME.md', async () => {
    const { status, text } = await get('/docs/realtime');
    expect(status).toBe(200);
    const source = readFileSync('docs/REALTIME.md', 'utf8');
    const headings = [...source.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
    expect(headings.length).toBeGreaterThan(6);
    for (const heading of headings) expect(text).toMatch(new RegExp(`<h\\d id="[a-z-]+">${heading}</h\\d>`));
    expect(text).toContain('<code>sync.required</code>');
    expect(text.match(/<table>/g)?.length).toBe(source.match(/^\| -/gm)?.length);
  });

  it('The events page names every frame of an agent or visitor and every close code', async () => {
    const { status, text } = await get('/docs/events');
    expect(status).toBe(200);
    for (const type of Object.keys({ ...EVENT_FRAMES, ...EPHEMERAL_FRAMES }))
      expect(text).toContain(`<code>${type}</code>`);
    for (const { code } of closeCodes()) expect(text).toContain(`<td>${code}</td>`);
    expect(text).not.toContain('npm run docs');
  });

  it('Every link of every page has an existing target, including its heading', async () => {
    for (const page of PAGES) {
      const { text } = await get(page);
      expect([page, linksOf(text).length > 3]).toEqual([page, true]);
      expect([page, text.match(/href="(?!\/|#|https:\/\/)[^"]*"/g)]).toEqual([page, null]);
      for (const link of linksOf(text)) {
        const [path = '', anchor] = link.split('#');
        const target = await get(path);
        expect([page, link, target.status]).toEqual([page, link, 200]);
        if (anchor !== undefined) expect([link, target.text.includes(` id="${anchor}"`)]).toEqual([link, true]);
      }
    }
  });

  it('The OpenAPI and AsyncAPI documents link to the realtime guide and the events', async () => {
    const openapi = JSON.parse((await get('/openapi.json')).text) as LinkedDocument;
    const asyncapi = JSON.parse((await get('/asyncapi.json')).text) as LinkedDocument;
    expect(openapi.externalDocs?.url).toBe('/docs/realtime');
    for (const link of ['(/docs/realtime)', '(/docs/events)', '(/asyncapi.json)']) {
      expect(openapi.info.description).toContain(link);
    }
    for (const link of ['(/docs/realtime)', '(/docs/events)']) expect(asyncapi.info.description).toContain(link);
  });

  it('A page has no inline scripts and loads nothing from other origins, and has the usual security headers', async () => {
    const reference = await get('/docs');
    for (const page of PAGES) {
      const { headers, text } = await get(page);
      expect(text).not.toMatch(/<script|<style| style=| on\w+=|src="http|javascript:/);
      for (const name of ['content-security-policy', 'x-content-type-options', 'referrer-policy', 'x-frame-options']) {
        expect([page, name, headers.get(name)]).toEqual([page, name, reference.headers.get(name)]);
      }
      expect(headers.get('content-security-policy')).toMatch(/script-src 'self'(;|$)/);
      expect([page, headers.get('cache-control')]).toEqual([page, 'public, max-age=300']);
    }
  });

  it('The stylesheet of the pages is served as text/css', async () => {
    const { status, headers, text } = await get('/docs/page.css');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(text).not.toMatch(/url\(|@import/);
  });
});

interface LinkedDocument {
  externalDocs?: { url: string };
  info: { description: string };
}
