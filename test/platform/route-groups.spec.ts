import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Express, Request, Response } from 'express';
import fc from 'fast-check';
import { newId } from '../../src/kernel/ids.js';
import { HttpAdapter } from '../../src/platform/http/http.adapter.js';
import { hostilePiece } from '../support/hostile.js';
import { presentReference } from '../support/preview.js';
import { closeRawConnections, rawRequest } from '../support/raw-http.js';

const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.HOSTILE_RUNS ?? 40) * 25;

type Verb = 'get' | 'post' | 'patch' | 'delete';
type Routes = Record<Verb, (path: string, handler: (request: Request, response: Response) => void) => unknown>;

/** `[get, /v1/bots/:id]` */
let routes: [Verb, string][];
const servers: Server[] = [];
let grouped: string;
let flat: string;
let adapter: HttpAdapter;

async function serve(app: Express, on: Routes, all: [Verb, string][]): Promise<string> {
  for (const [verb, path] of all) {
    on[verb](path, (request, response) => {
      const { method, params, query, url, baseUrl, originalUrl } = request;
      response.json({ verb, path, method, params, query, url, baseUrl, originalUrl });
    });
  }
  app.use((error: { status?: number }, _request: Request, response: Response, _next: unknown) => {
    response.status(error.status ?? 500).json({ error: true });
  });
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise(resolve => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const { paths } = await presentReference();
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((verb): [Verb, string] => [verb as Verb, path.replace(/\{(\w+)\}/g, ':$1')]),
  );
  // of which a group must not take more than it understands
  routes.push(
    ['get', '/healthz'],
    ['get', '/v1/files/*path'],
    ['get', '/v1/conversations/:id/:what'],
    ['get', '/v1/:x'],
  );
  adapter = new HttpAdapter();
  grouped = await serve(adapter.getInstance<Express>(), adapter as unknown as Routes, routes);
  const app = express();
  flat = await serve(app, app as unknown as Routes, routes);
});

afterAll(async () => {
  closeRawConnections();
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
});

/** What both answer. */
async function answers(method: string, path: string): Promise<[unknown, unknown]> {
  const [ours, theirs] = await Promise.all(
    [grouped, flat].map(async base => {
      const { status, text } = await rawRequest(base, { method, path, headers: { Host: 'x' }, body: null });
      return { status, text };
    }),
  );
  return [ours, theirs];
}

describe('routes in groups', () => {
  it('are nearly all of them, a few in each', () => {
    const sizes = adapter.groups.routers.map(({ stack }) => stack.length);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    expect(all).toBe(routes.length - 3);
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBeLessThan(25);
  });

  it('answer what the same routes in a row would, however a path is spelled', async () => {
    const spelled = (path: string) =>
      fc.constantFrom(
        path,
        `${path}/`,
        `${path}//`,
        path.replace('/', '//'),
        path.toUpperCase(),
        path.replace('/v1', '/V1'),
        path.replace(/[a-z]/g, letter => `%${letter.charCodeAt(0).toString(16)}`),
        `${path}?a=1&b=/v1/x`,
        `${path}/?a`,
        `${path}/more`,
        path.replace(/\/[^/]*$/, ''),
        `http://elsewhere.example${path}`,
        `${path};x=y`,
        path.replaceAll('s', '\u017f'),
      );
    const part = fc.oneof(
      fc.constant(newId()),
      hostilePiece.map(piece => piece.slice(0, 100)),
      fc.constant(''),
    );
    const asked = fc
      .tuple(fc.constantFrom(...routes), fc.array(part, { minLength: 3, maxLength: 3 }))
      .map(([[verb, path], parts]): [string, string] => [
        verb.toUpperCase(),
        path.replace(/[:*]\w+/g, () => parts.pop() ?? 'x'),
      ])
      .chain(([verb, path]) =>
        fc.tuple(
          fc.oneof({ weight: 4, arbitrary: fc.constant(verb) }, fc.constantFrom('HEAD', 'PUT', 'GET', 'POST')),
          spelled(path),
        ),
      );
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(asked, async ([method, text]) => {
        const path = Buffer.from(text.replace(/[^\x21-\xff]/g, ''))
          .toString('latin1')
          .replace(/[^\x21-\xff]/g, '');
        fc.pre(path.startsWith('/') || path.startsWith('http'));
        const [ours, theirs] = await answers(method, path);
        expect(ours).toEqual(theirs);
        statuses.add((ours as { status: number }).status);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect([...statuses].sort((a, b) => a - b)).toEqual([200, 400, 404]);
  });

  it('leave OPTIONS to whoever answers it for all', async () => {
    const [ours] = await answers('OPTIONS', '/v1/auth/me');
    expect((ours as { status: number }).status).toBe(404);
  });
});
