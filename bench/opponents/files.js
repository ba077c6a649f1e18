import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { client } from '../client.js';
import { startServer } from '../processes.js';
import { openDesk } from '../service.js';
import ours from './ours.js';

/** Servers that store files, each in a folder of its own, which goes with it. */

const FILE_BYTES = 256 * 1024;
const BOUNDARY = 'bench-boundary';
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;
const TEXT = 'a'.repeat(FILE_BYTES);
const RATES = ['upload', 'api_key', 'agent'].map(name => `${name}=900000000/60`);

const oursFiles = {
  id: 'ours-files',
  name: 'ours',
  durable: true,
  absent: () => null,
  start: world =>
    withFolder(async folder => {
      const env = {
        FILES_DIR: folder,
        FILES_QUOTA_MB: '100000000',
        RATE_LIMITS: [...RATES, 'upload_bytes_address=900000000000/60'].join(','),
      };
      const server = await ours.start(world, { name: 'files', env });
      try {
        return { ...server, stage: await stageOf(server.port) };
      } catch (error) {
        await server.stop();
        throw error;
      }
    }),
};

const plainFiles = {
  id: 'plain-files',
  name: 'plain node',
  durable: true,
  absent: () => null,
  start: () =>
    withFolder(async folder => {
      const program = resolve(import.meta.dirname, 'servers/plain-files.js');
      const server = await startServer([program], { NODE_ENV: 'production', FILES_DIR: folder });
      const send = { method: 'POST', path: '/files', before: '', after: TEXT, contentType: 'text/plain' };
      return { ...server, pids: [server.pid], stage: stage(server.port, send) };
    }),
};

export const files = [oursFiles, plainFiles];

/** Starts a server with a folder that is removed when it has stopped. */
async function withFolder(start) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-files-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const server = await start(folder);
    return { ...server, stop: () => server.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

async function stageOf(port) {
  const { made, close } = client(port);
  try {
    const { key } = await openDesk(made);
    const contentType = `multipart/form-data; boundary=${BOUNDARY}`;
    const send = { method: 'POST', path: '/v1/attachments', token: key, before: PART, after: TEXT + END, contentType };
    return stage(port, send);
  } finally {
    close();
  }
}

/** @returns () → the requests of both cases; the one that downloads names a file that the first call has uploaded */
function stage(port, upload) {
  let download;
  return async () => {
    download ??= await uploadOne(port, upload);
    return { upload, download };
  };
}

async function uploadOne(port, { method, path, token, before, after, contentType }) {
  const headers = { 'Content-Type': contentType, ...(token && { Authorization: `Bearer ${token}` }) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: before + after });
  if (answer.status !== 201) throw new Error(`an upload returned ${answer.status}`);
  const { data } = await answer.json();
  const { pathname, search } = new URL(data.url, 'http://bench');
  return { method: 'GET', path: pathname + search };
}
