import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { download, removeDueFiles, upload } from '../support/files.js';
import { hasS3, S3Server } from '../support/s3.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

interface SharedStore {
  environment: Record<string, string>;
  stop(): Promise<void> | void;
}

const STORES: [name: string, open: () => Promise<SharedStore> | SharedStore][] = [
  [
    'a folder',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'support-chat-shared-'));
      return { environment: { FILES_DIR: folder }, stop: () => rmSync(folder, { recursive: true, force: true }) };
    },
  ],
];
if (hasS3) STORES.push(['a bucket', () => S3Server.start()]);

describe.each(STORES)('Two instances that share %s', (_name, open) => {
  let store: SharedStore;
  let one: World;
  let other: World;
  let desk: Desk;
  beforeAll(async () => {
    store = await open();
    one = await World.start(store.environment);
    other = await World.start(store.environment, { database: one.app.database });
    desk = await one.desk();
  });
  afterAll(async () => {
    await other.stop();
    await one.stop();
    await store.stop();
  });

  it('A file that one has taken is sent and shown by the other, in parts too, and its URL opens on both.', async () => {
    const bytes = Buffer.alloc(200_000, 'file');
    const { id, url } = (await upload(desk.owner.api, bytes)).data as { id: string; url: string };
    for (const world of [one, other]) expect((await download(world, url)).body).toEqual(bytes);
    const part = await download(other, url, { Range: 'bytes=100000-100003' });
    expect([part.status, (part.body as Buffer).toString()]).toEqual([206, 'file']);
    const { id: conversation } = await one.conversation(await one.visitor(desk));
    const path = `/v1/conversations/${conversation as string}/messages`;
    const message = (await other.as(desk.owner.token).post(path, { attachment_ids: [id] })).data;
    await desk.owner.api.delete(`${path}/${message.id as string}`);
    for (const world of [one, other]) expect((await download(world, url)).status).toBe(404);
    await removeDueFiles(other);
  });
});

(hasS3 ? describe : describe.skip)('A bucket that is gone for a while', () => {
  it('Uploads and downloads are 503 meanwhile, and afterwards all works, with no byte left behind.', async () => {
    const server = await S3Server.start();
    const world = await World.start(server.environment);
    const { owner } = await world.desk();
    const { url } = (await upload(owner.api, 'kept')).data as { url: string };
    await server.kill();
    const refused = await upload(owner.api, 'refused');
    expect([refused.status, refused.error.code]).toEqual([503, 'unavailable']);
    expect((await download(world, url)).status).toBe(503);
    await server.start();
    expect(((await download(world, url)).body as Buffer).toString()).toBe('kept');
    expect((await upload(owner.api, 'again')).status).toBe(201);
    world.app.clock.advance(301);
    await removeDueFiles(world);
    await world.stop();
    await server.stop();
  });
});
