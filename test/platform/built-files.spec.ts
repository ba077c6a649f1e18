import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { readBuiltFiles } from '../../src/platform/web/built-files.js';
import { serveBuiltFiles } from '../../src/platform/web/serve-built-files.js';
import { closeRawConnections, rawRequest } from '../support/raw-http.js';

const SCRIPT = 'export const answer = 42;'.repeat(20);

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'support-chat-web-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Writes a build, as on another machine at another time. */
function build(name: string, files: Record<string, string | Buffer>): string {
  const folder = join(root, name, 'dist');
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, Math.random() * 1e9, Math.random() * 1e9);
  }
  return folder;
}

function serve(folder: string): express.Express {
  const files = readBuiltFiles(folder);
  if (!files) throw new Error(`no build in ${folder}`);
  const app = express().disable('etag');
  return app.use(serveBuiltFiles(files, () => 'public, max-age=1'));
}

const compressed = () => ({
  'a.js': SCRIPT,
  'a.js.br': brotliCompressSync(SCRIPT),
  'a.js.gz': gzipSync(SCRIPT),
  'web/plain.json': '{}',
});

const get = (app: express.Express, path: string, headers: Record<string, string> = {}) =>
  supertest(app).get(path).set(headers);

describe('Files of a build', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br', 'br'],
    ['gzip', 'gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip', 'gzip'],
    ['br;q=0, gzip;q=0', 'no encoding', undefined],
    ['zstd', 'no encoding', undefined],
    ['', 'no encoding', undefined],
  ])('A client that sends `Accept-Encoding: %s` gets a file in %s.', async (accepted, _name, encoding) => {
    const answer = await get(serve(build('encodings', compressed())), '/a.js', { 'Accept-Encoding': accepted }).buffer(
      true,
    );
    expect(answer.status).toBe(200);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.vary).toBe('Accept-Encoding');
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
    if (encoding === 'br') expect(answer.headers['content-length']).toBe(String(brotliCompressSync(SCRIPT).length));
    else expect(answer.text).toBe(SCRIPT);
  });

  it('A file without a compressed form is sent as it is.', async () => {
    const answer = await get(serve(build('plain', compressed())), '/web/plain.json', { 'Accept-Encoding': 'br' });
    expect([answer.status, answer.headers['content-encoding'], answer.body]).toEqual([200, undefined, {}]);
  });

  it('Two instances of one build send the same ETags, and another build sends others.', async () => {
    const etagOf = async (folder: string, encoding: string) =>
      (await get(serve(folder), '/a.js', { 'Accept-Encoding': encoding })).headers.etag;
    const [one, two] = [build('one', compressed()), build('two', compressed())];
    const other = build('other', { 'a.js': `${SCRIPT}//` });
    for (const encoding of ['gzip', 'identity']) expect(await etagOf(one, encoding)).toBe(await etagOf(two, encoding));
    expect(await etagOf(one, 'gzip')).not.toBe(await etagOf(one, 'identity'));
    expect(await etagOf(other, 'identity')).not.toBe(await etagOf(one, 'identity'));
  });

  it('A client that has the file gets 304 without the file, and one that asks for the whole file gets it.', async () => {
    const app = serve(build('conditional', compressed()));
    const { etag = '' } = (await get(app, '/a.js')).headers as { etag?: string };
    const same = await get(app, '/a.js', { 'If-None-Match': `"old", ${etag}` });
    expect([same.status, same.text, same.headers['cache-control']]).toEqual([304, '', 'public, max-age=1']);
    expect(same.headers).toMatchObject({ etag, vary: 'Accept-Encoding' });
    expect((await get(app, '/a.js', { 'If-None-Match': '"old"' })).status).toBe(200);
    expect((await get(app, '/a.js', { 'If-None-Match': etag, 'Cache-Control': 'no-cache' })).status).toBe(200);
  });

  it('HEAD has the headers of GET and no body.', async () => {
    const app = serve(build('head', compressed()));
    const head = await supertest(app).head('/a.js').set('Accept-Encoding', 'identity');
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, undefined, String(SCRIPT.length)]);
  });

  it.each(['bytes=10-5', 'bytes=-5', 'bytes=x', 'bytes=0-0,2-2'])('`Range: %s` gets the whole file.', async range => {
    const answer = await get(serve(build('ranges', compressed())), '/a.js', { Range: range });
    expect([answer.status, answer.text]).toEqual([200, SCRIPT]);
  });

  it('A file that the build does not have is 404, and no cache keeps the answer.', async () => {
    const app = serve(build('missing', compressed()));
    for (const path of ['/b.js', '/a.js.br', '/a.js.gz', '/', '/web', '/web/', '/A.JS', '/constructor']) {
      const answer = await get(app, path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 404, 'no-store']);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    }
  });

  it('No path leads out of the folder of the build.', async () => {
    const folder = build('traversal', compressed());
    writeFileSync(join(folder, '../secret.js'), 'secret');
    const server = serve(folder).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const paths = ['/../secret.js', '/web/../../secret.js', '/%2e%2e/secret.js', '/..%2fsecret.js', '/%00', '//a.js'];
    for (const path of paths) {
      const { status } = await rawRequest(base, { method: 'GET', path, headers: {}, body: null });
      expect([path, status]).toEqual([path, 404]);
    }
    closeRawConnections();
    server.close();
  });

  it('A build that replaces the files under a running service changes nothing until the next start.', async () => {
    const folder = build('replaced', compressed());
    const app = serve(folder);
    rmSync(folder, { recursive: true });
    expect((await get(app, '/a.js', { 'Accept-Encoding': 'gzip' })).text).toBe(SCRIPT);
  });

  it('A folder that does not exist is no build.', () => {
    expect(readBuiltFiles(join(root, 'nowhere'))).toBeNull();
  });
});
