import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { parseRateLimits } from '../../src/config/rate-limits.js';
import { FileUploadsService, SILENCE_MS, UPLOAD_MS } from '../../src/platform/http/file-uploads.service.js';
import { eventually } from '../support/eventually.js';
import { download, filesOf, removeDueFiles, upload, uploadAsVisitor, usedBytes } from '../support/files.js';
import { countsOf, race } from '../support/race.js';
import { rawRequest } from '../support/raw-http.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const MIB = 1024 * 1024;
const BOUNDARY = 'x-boundary-x';

let world: World;
let desk: Desk;
let uploads: FileUploadsService;
const open: Socket[] = [];
beforeAll(async () => {
  world = await World.start({ FILES_QUOTA_MB: '300' });
  uploads = world.app.app.get(FileUploadsService);
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await eventually(async () => (await uploading()) === 0 || undefined);
  world.app.clock.reset();
});

async function uploading(): Promise<number> {
  const [row] = await world.app.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM attachment WHERE state = 'uploading'`,
  );
  return row?.count ?? 0;
}

const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

/** Begins an upload and sends only some of its bytes. */
async function begin(token: string, announced: number, sent: number, { at = world, start = '' } = {}) {
  const { port } = new URL(at.app.url);
  const socket = connect(Number(port), '127.0.0.1');
  open.push(socket);
  const answer = { text: '', closed: false };
  socket.on('data', chunk => (answer.text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (answer.closed = true));
  socket.write(
    [
      'POST /v1/attachments HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${token}`,
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
      `Content-Length: ${announced}`,
      '',
      HEAD + start + 'a'.repeat(sent - start.length),
    ].join('\r\n'),
  );
  return { socket, answer, status: () => Number(answer.text.split(' ', 2)[1] ?? 0) };
}

const isUnderWay = (count: number) => eventually(async () => (await uploading()) === count || undefined);

describe('An upload under way', () => {
  it('One that is cut leaves no file, no row and no reserved byte.', async () => {
    const { socket } = await begin(desk.owner.token, 5 * MIB, 100_000);
    await isUnderWay(1);
    expect(await usedBytes(world, desk.workspaceId)).toBe(5 * MIB);
    socket.destroy();
    await isUnderWay(0);
    await removeDueFiles(world);
    expect(await usedBytes(world, desk.workspaceId)).toBe(0);
    expect(filesOf(world)).toEqual({ stored: [], incoming: [] });
  });

  it('One that is silent for 20 seconds, or takes 10 minutes, is ended with 408.', async () => {
    for (const late of [SILENCE_MS + 1_000, UPLOAD_MS + 1_000]) {
      const { status } = await begin(desk.owner.token, 1 * MIB, 1_000);
      await isUnderWay(1);
      uploads.endLate();
      expect(status()).toBe(0);
      uploads.endLate(performance.now() + late);
      await eventually(() => status() === 408 || undefined);
      await isUnderWay(0);
    }
  });

  it('One whose process has died is removed after half an hour, with what it reserved.', async () => {
    await begin(desk.owner.token, 5 * MIB, 1_000);
    await isUnderWay(1);
    world.app.clock.advance(26 * 60);
    await removeDueFiles(world);
    expect(await usedBytes(world, desk.workspaceId)).toBe(0);
  });

  it('One that goes on after it was taken for dead is refused (404), and leaves no file without a row.', async () => {
    const bytes = 50_000;
    const announced = HEAD.length + bytes + TAIL.length;
    const { socket, status } = await begin(desk.owner.token, announced, bytes);
    await isUnderWay(1);
    world.app.clock.advance(26 * 60);
    await removeDueFiles(world);
    await isUnderWay(0);
    socket.write(TAIL);
    await eventually(() => status() !== 0 || undefined);
    expect(status()).toBe(404);
    expect(filesOf(world)).toEqual({ stored: [], incoming: [] });
    expect(await usedBytes(world, desk.workspaceId)).toBe(0);
  });

  it('A body without a file, or with two, is 400.', async () => {
    const part = (name: string) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nx\r\n`;
    for (const body of [`--${BOUNDARY}--\r\n`, `${part('a')}${part('b')}--${BOUNDARY}--\r\n`]) {
      const answer = await fetch(`${world.app.url}/v1/attachments`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${desk.owner.token}`,
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        },
        body,
      });
      expect(answer.status).toBe(400);
    }
    await removeDueFiles(world);
    expect(filesOf(world)).toEqual({ stored: [], incoming: [] });
  });
});

describe('The quotas', () => {
  it('A principal has four uploads at once; the fifth is 429.', async () => {
    for (let count = 1; count <= 4; count += 1) await begin(desk.owner.token, 1 * MIB, 1_000);
    await isUnderWay(4);
    const fifth = await begin(desk.owner.token, 1 * MIB, 1_000);
    await eventually(() => fifth.status() === 429 || undefined);
  });

  it('A file of 25 MiB is taken, one more byte is 413 before or while it streams.', async () => {
    const bytes = Buffer.alloc(25 * MIB, 'a');
    expect((await upload(desk.owner.api, bytes)).status).toBe(201);
    const { status } = await upload(desk.owner.api, Buffer.concat([bytes, Buffer.from('a')]));
    expect(status).toBe(413);
  });

  it('A member has at most 100 MiB of unsent files, under any race (413 storage_quota).', async () => {
    const bytes = Buffer.alloc(24 * MIB, 'a');
    for (let count = 1; count <= 3; count += 1) await upload(desk.owner.api, bytes);
    const answers = await race(4, () => upload(desk.owner.api, bytes));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 413: 3 });
    expect(answers.find(({ status }) => status === 413)?.error.code).toBe('storage_quota');
  });

  it('A contact has at most 100 MiB of unsent files (413 storage_quota); what it sends makes room.', async () => {
    const visitor = await world.visitor(desk);
    const { id } = (await world.conversation(visitor)) as { id: string };
    const bytes = Buffer.alloc(25 * MIB, 'a');
    const answers = await race(4, () => uploadAsVisitor(visitor, bytes));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 4 });
    const refused = await uploadAsVisitor(visitor, 'x');
    expect([refused.status, refused.error.code]).toEqual([413, 'storage_quota']);
    expect((await uploadAsVisitor(await world.visitor(desk), 'x')).status).toBe(201);
    await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { attachment_ids: [answers[0]?.data.id] });
    expect((await uploadAsVisitor(visitor, 'x')).status).toBe(201);
  });

  it('A contact uploads at most 250 MiB an hour, whatever becomes of the files.', async () => {
    const visitor = await world.visitor(desk);
    const bytes = Buffer.alloc(25 * MIB, 'a');
    const { id } = (await world.conversation(visitor)) as { id: string };
    for (let count = 1; count <= 9; count += 1) {
      const file = await uploadAsVisitor(visitor, bytes);
      await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { attachment_ids: [file.data.id] });
    }
    expect((await uploadAsVisitor(visitor, Buffer.alloc(24 * MIB, 'a'))).status).toBe(201);
    expect((await uploadAsVisitor(visitor, bytes)).error.code).toBe('storage_quota');
    world.app.clock.advance(3_601);
    expect((await uploadAsVisitor(visitor, Buffer.from('x'))).status).toBe(201);
  }, 240_000);

  it('A picture that becomes larger when its metadata are removed reserves the rest, or is refused.', async () => {
    const noise = {
      width: 400,
      height: 400,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    } as const;
    const photo = await sharp({ create: noise })
      .withExif({ IFD0: { Copyright: 'Home' } })
      .jpeg({ quality: 20 })
      .toBuffer();
    const visitor = await world.visitor(desk);
    const { size } = (await uploadAsVisitor(visitor, photo, 'photo.jpg')).data as { size: number };
    expect(size).toBeGreaterThan(photo.length + 1_000);
    expect(await usedBytes(world, desk.workspaceId)).toBe(size);
    const left = photo.length + 1_000;
    await world.app.database.query('UPDATE file_usage SET bytes = $2 WHERE workspace_id = $1', [
      desk.workspaceId,
      300 * MIB - left,
    ]);
    expect((await uploadAsVisitor(visitor, photo, 'photo.jpg')).error.code).toBe('storage_quota');
    await removeDueFiles(world);
    expect(await usedBytes(world, desk.workspaceId)).toBe(300 * MIB - left);
  });

  it('A workspace has its quota, which removed files give back.', async () => {
    await world.app.database.query('INSERT INTO file_usage (workspace_id, bytes) VALUES ($1, $2)', [
      desk.workspaceId,
      299 * MIB,
    ]);
    expect((await upload(desk.owner.api, Buffer.alloc(2 * MIB, 'a'))).error.code).toBe('storage_quota');
    const bytes = Buffer.alloc(700_000, 'a');
    const key = await world.apiKey(desk);
    expect((await upload(key, bytes)).status).toBe(201);
    expect((await upload(key, bytes)).error.code).toBe('storage_quota');
    world.app.clock.advance(24 * 3_600 + 1);
    await removeDueFiles(world);
    expect((await upload(key, bytes)).status).toBe(201);
  });

  it('An operator can let an address upload more than by default.', () => {
    const limits = parseRateLimits('upload_bytes_address=500000000000/3600');
    expect(limits).toMatchObject({ upload_bytes_address: { points: 500_000_000_000, seconds: 3_600 } });
  });

  it('All callers of an address share its bytes of an hour (413 storage_quota); other addresses go on.', async () => {
    const limits = { RATE_LIMITS: `upload_bytes_address=${MIB}/3600`, TRUST_PROXY: '1' };
    const limited = await World.start(limits, { database: world.app.database });
    try {
      const from = async (address: string, token: string) => {
        const form = new FormData();
        form.append('file', new Blob(['a'.repeat(600_000)]), 'a.txt');
        const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': address };
        const answer = await fetch(`${limited.app.url}/v1/attachments`, { method: 'POST', headers, body: form });
        const { error } = (await answer.json()) as { error?: { code: string } };
        return [answer.status, error?.code];
      };
      const colleague = await world.colleague(desk);
      expect(await from('203.0.113.7', desk.owner.token)).toEqual([201, undefined]);
      expect(await from('203.0.113.7', colleague.token)).toEqual([413, 'storage_quota']);
      expect(await from('198.51.100.9', colleague.token)).toEqual([201, undefined]);
    } finally {
      await limited.stop();
    }
  });

  it('The sixty-first upload of a principal within a minute is refused (429).', async () => {
    const limited = await World.start({ RATE_LIMITS: 'upload=60/60' }, { database: world.app.database });
    try {
      const statuses: number[] = [];
      for (let count = 1; count <= 61; count += 1) {
        statuses.push((await upload(limited.as(desk.owner.token), 'x')).status);
      }
      expect(statuses).toEqual([...Array.from({ length: 60 }, () => 201), 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe('The bytes of an address', () => {
  const LIMIT = 60 * MIB;
  let limited: World;
  beforeEach(async () => {
    limited = await World.start(
      { RATE_LIMITS: `upload_bytes_address=${LIMIT}/3600`, FILES_QUOTA_MB: '300' },
      { database: world.app.database },
    );
  });
  afterEach(() => limited.stop());

  const send = (bytes: number) => upload(limited.as(desk.owner.token), Buffer.alloc(bytes, 'a'));
  const isEnded = () => isUnderWay(0);

  it('Uploads without Content-Length count only what arrives.', async () => {
    for (let count = 1; count <= 4; count += 1) {
      const answer = await rawRequest(limited.app.url, {
        method: 'POST',
        path: '/v1/attachments',
        headers: {
          Authorization: `Bearer ${desk.owner.token}`,
          'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
        },
        body: Buffer.from(`${HEAD}tiny${TAIL}`),
        chunked: true,
      });
      expect([count, answer.status]).toEqual([count, 201]);
    }
  });

  it('Uploads that another quota refuses do not count.', async () => {
    const key = await world.apiKey(desk);
    const bytes = Buffer.alloc(20 * MIB, 'a');
    await world.app.database.query('INSERT INTO file_usage (workspace_id, bytes) VALUES ($1, $2)', [
      desk.workspaceId,
      299 * MIB,
    ]);
    const again = () => upload(limited.as(key.token), bytes);
    for (let count = 1; count <= 4; count += 1) expect((await again()).error.code).toBe('storage_quota');
    await world.app.database.query('UPDATE file_usage SET bytes = 0 WHERE workspace_id = $1', [desk.workspaceId]);
    expect((await again()).status).toBe(201);
  });

  it('An upload that the address’s limit refuses does not count.', async () => {
    expect((await send(20 * MIB)).status).toBe(201);
    expect((await send(20 * MIB)).status).toBe(201);
    for (let count = 1; count <= 2; count += 1) expect((await send(21 * MIB)).error.code).toBe('storage_quota');
    expect((await send(15 * MIB)).status).toBe(201);
  });

  it('Of a file whose type is refused, only what had arrived counts.', async () => {
    for (let count = 1; count <= 4; count += 1) {
      const { status, socket } = await begin(desk.owner.token, 20 * MIB, 10_000, { at: limited, start: 'MZ\0' });
      await eventually(() => status() === 415 || undefined);
      socket.destroy();
      await isEnded();
    }
    expect((await send(20 * MIB)).status).toBe(201);
  });

  it('What has arrived of an upload that is cut counts, also in other fields than the file.', async () => {
    const [token, sent] = [desk.owner.token, 15 * MIB];
    for (const start of ['', `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="other"\r\n\r\n`]) {
      const { socket } = await begin(token, 20 * MIB, sent, { at: limited, start });
      await isUnderWay(1);
      // the service reads all of it before it sees the end
      socket.end();
      await isEnded();
    }
    expect((await send(20 * MIB)).status).toBe(201);
    expect((await send(15 * MIB)).error.code).toBe('storage_quota');
  });

  it('Uploads under way count in full, so that concurrent ones cannot pass the limit.', async () => {
    const [one, two] = [desk.owner.token, (await world.colleague(desk)).token];
    const open = [
      await begin(one, 25 * MIB, 9_000, { at: limited }),
      await begin(two, 25 * MIB, 9_000, { at: limited }),
    ];
    await isUnderWay(2);
    expect((await send(15 * MIB)).error.code).toBe('storage_quota');
    for (const { socket } of open) socket.destroy();
    await isEnded();
    expect((await send(15 * MIB)).status).toBe(201);
  });
});

describe('RETENTION_UNSENT_FILES_HOURS', () => {
  it('It decides how long a file waits to be sent, and counts for the quota of unsent files.', async () => {
    const patient = await World.start({ RETENTION_UNSENT_FILES_HOURS: '72' }, { database: world.app.database });
    try {
      const api = patient.as(desk.owner.token);
      const bytes = Buffer.alloc(25 * MIB, 'a');
      const ids = await race(4, async () => (await upload(api, bytes)).data.id as string);
      // as if they had been uploaded 71 hours ago; the token ends before
      await world.app.database.query(
        `UPDATE attachment SET created_at = created_at - interval '71 hours', due_at = due_at - interval '71 hours'
         WHERE id = ANY($1)`,
        [ids],
      );
      await removeDueFiles(patient);
      expect((await api.get(`/v1/attachments/${ids[0] ?? ''}`)).status).toBe(200);
      expect((await upload(api, 'x')).error.code).toBe('storage_quota');
      await world.app.database.query(`UPDATE attachment SET due_at = due_at - interval '2 hours' WHERE id = ANY($1)`, [
        ids,
      ]);
      expect((await api.get(`/v1/attachments/${ids[0] ?? ''}`)).status).toBe(404);
      await removeDueFiles(patient);
      expect((await upload(api, 'x')).status).toBe(201);
    } finally {
      await patient.stop();
    }
  });
});

describe('A store that cannot be used when the service starts', () => {
  it('The service runs without it: uploads are 503, and widgets do not offer attachments.', async () => {
    // a folder that nobody can make, not even root
    const without = await World.start({ FILES_DIR: '/dev/null/files' }, { database: world.app.database });
    try {
      const refused = await upload(without.as(desk.owner.token));
      expect([refused.status, refused.error.code]).toEqual([503, 'unavailable']);
      const path = `/v1/widget/config?widget_token=${desk.widgetToken}`;
      expect((await without.anyone.get(path)).data.widget_config.features.attachments).toBe(false);
      expect((await world.anyone.get(path)).data.widget_config.features.attachments).toBe(true);
    } finally {
      await without.stop();
    }
  });
});

describe('A store that is gone', () => {
  it('Uploads and downloads are 503 meanwhile, nothing half stays, and afterwards all works.', async () => {
    const { filesDir } = world.app.config;
    const kept = (await upload(desk.owner.api, 'kept')).data as { url: string };
    const before = await usedBytes(world, desk.workspaceId);
    await rename(filesDir, `${filesDir}.away`);
    try {
      const refused = await upload(desk.owner.api, randomBytes(10).toString('hex'));
      expect([refused.status, refused.error.code]).toEqual([503, 'unavailable']);
      expect((await download(world, kept.url)).status).toBe(503);
      expect((await download(world, kept.url, { Range: 'bytes=0-1' })).status).toBe(503);
    } finally {
      await rename(`${filesDir}.away`, filesDir);
    }
    // a store that gave no answer has time to finish
    world.app.clock.advance(301);
    await removeDueFiles(world);
    expect(await usedBytes(world, desk.workspaceId)).toBe(before);
    expect(((await download(world, kept.url)).body as Buffer).toString()).toBe('kept');
    expect((await upload(desk.owner.api)).status).toBe(201);
  });
});
