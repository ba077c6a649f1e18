import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { race } from '../support/race.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { PASSWORD, unique } from '../support/world.js';

const MIB = 1024 * 1024;
const VISITORS = '/v1/widget/attachments';

let database: TestDatabase;
let files: string;
let service: ServiceProcess;
let url: string;
let token: string;
beforeAll(() => ensureBuilt());
beforeEach(async () => {
  database = await cloneDatabase();
  files = mkdtempSync(join(tmpdir(), 'support-chat-files-'));
  await start();
  token = await register();
});
afterEach(async () => {
  await service.stop();
  await database.drop();
  rmSync(files, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = ServiceProcess.start({ DATABASE_URL: database.url, FILES_DIR: files });
  url = await service.url();
}

/** @returns the token of a member of a new workspace */
async function register(): Promise<string> {
  const account = {
    workspace_name: unique('W'),
    name: 'Olivia',
    email: `${unique('o')}@example.com`,
    password: PASSWORD,
  };
  return (await call('POST', `${url}/v1/auth/register`, { body: account })).body.data.token as string;
}

/** @returns the token of a visitor of a new workspace */
async function openVisitor(): Promise<string> {
  const [channel] = (await call('GET', `${url}/v1/channels`, { token: await register() })).body.data.items;
  const body = { widget_token: channel.widget_token };
  return (await call('POST', `${url}/v1/widget/session`, { body })).body.data.visitor_token as string;
}

/** A picture with metadata that no compression makes smaller. @param side pixels */
function noisyPicture(side: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 80 } as const;
  return sharp({ create: { width: side, height: side, channels: 3, background: '#000', noise } })
    .withExif({ IFD0: { Artist: 'Ada' } })
    .png()
    .toBuffer();
}

async function upload(bytes: Buffer, by = token, path = '/v1/attachments'): Promise<number> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), 'a.txt');
  const headers = { Authorization: `Bearer ${by}` };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: form });
  await answer.text();
  return answer.status;
}

/** Sends the beginning of an upload and leaves it open. */
function beginUpload(bytes: number): void {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const head = ['POST /v1/attachments HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`];
  const type = ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${bytes + 500}`, ''];
  socket.write([...head, ...type, part + 'a'.repeat(bytes)].join('\r\n'));
}

/** A file system of its own can be made by root alone. */
function hasSmallDisk(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'support-chat-disk-'));
  const mounted = mount(folder, '1m');
  if (mounted) spawnSync('umount', [folder]);
  else process.stderr.write('skipped: no small file system can be mounted here\n');
  return mounted;
}

function mount(folder: string, size: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'files', folder]).status === 0;
}

const withSmallDisk = hasSmallDisk() ? it : it.skip;

const rows = () => database.query<{ state: string }>('SELECT state FROM attachment');
const incoming = () => readdirSync(join(files, 'incoming'));
/** The highest memory of the process so far, in MiB. */
const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024;

describe('Uploads to a service in its own process', () => {
  it('A kill in the middle of an upload leaves a row that another process removes, with the file.', async () => {
    beginUpload(300_000);
    await eventually(async () => ((await rows())[0]?.state === 'uploading' && incoming().length === 1) || undefined);
    await service.kill();
    expect([(await rows()).length, incoming().length]).toEqual([1, 1]);
    // as if the time had passed
    const past = new Date(Date.now() - 2 * 3_600_000);
    for (const name of incoming()) utimesSync(join(files, 'incoming', name), past, past);
    await database.query('UPDATE attachment SET due_at = $1, created_at = $1', [past]);
    await start();
    await eventually(async () => ((await rows()).length === 0 && incoming().length === 0) || undefined, 20_000);
    const [usage] = await database.query<{ bytes: string }>('SELECT bytes FROM file_usage');
    expect(usage?.bytes).toBe('0');
    expect(await upload(Buffer.from('hello'))).toBe(201);
  });

  withSmallDisk('A full disk refuses uploads with 503, keeps what it has, and works again.', async () => {
    await service.stop();
    mount(files, '4m');
    try {
      await start();
      expect(await upload(Buffer.alloc(MIB, 'a'))).toBe(201);
      expect(await upload(Buffer.alloc(6 * MIB, 'a'))).toBe(503);
      expect([incoming(), (await rows()).map(({ state }) => state).sort()]).toEqual([[], ['abandoned', 'ready']]);
      expect(await upload(Buffer.alloc(MIB, 'a'))).toBe(201);
    } finally {
      await service.stop();
      spawnSync('umount', [files]);
    }
  });

  withSmallDisk(
    'A disk that becomes full while the metadata of a picture are removed refuses it with 503, and works again.',
    async () => {
      await service.stop();
      mount(files, '4m');
      try {
        await start();
        const visitor = await openVisitor();
        expect(await upload(await noisyPicture(900), visitor, VISITORS)).toBe(503);
        expect(incoming()).toEqual([]);
        expect(await upload(await noisyPicture(50), visitor, VISITORS)).toBe(201);
      } finally {
        await service.stop();
        spawnSync('umount', [files]);
      }
    },
  );

  it('Six uploads of 25 MiB at once take less memory than two of them.', async () => {
    const bytes = Buffer.alloc(25 * MIB, 'a');
    const other = await register();
    expect(await upload(Buffer.from('warm'))).toBe(201);
    const before = peak();
    expect(await race(6, index => upload(bytes, index % 2 === 0 ? token : other))).toEqual(Array(6).fill(201));
    expect(peak() - before).toBeLessThan(50);
  });
});
