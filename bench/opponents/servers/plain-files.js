import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Node alone: a POST stores its body as a file that survives a power failure, a GET answers with one. It checks nothing,
 * parses no multipart, and keeps no row.
 */

const folder = process.env.FILES_DIR;
await mkdir(folder, { recursive: true });

const server = createServer((request, response) => {
  const work = request.method === 'POST' ? upload : request.url === '/healthz' ? health : download;
  work(request, response).catch(error => answer(response, 500, { error: error.message }));
});
process.once('SIGTERM', () => process.exit());
server.listen(Number(process.env.PORT), '127.0.0.1');

async function health(_request, response) {
  answer(response, 200, { status: 'ok', instance: process.env.INSTANCE_ID });
}

async function upload(request, response) {
  const id = randomUUID();
  const incoming = join(folder, `${id}.incoming`);
  await pipeline(request, createWriteStream(incoming, { flags: 'wx' }));
  await synchronize(incoming);
  await rename(incoming, join(folder, id));
  await synchronize(folder);
  answer(response, 201, { data: { id, url: `/files/${id}` } });
}

async function download({ url }, response) {
  const path = join(folder, url.slice('/files/'.length));
  const { size } = await stat(path);
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size });
  await pipeline(createReadStream(path), response);
}

async function synchronize(path) {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}

function answer(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
