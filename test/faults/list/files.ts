import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultyDesk } from '../desk.js';
import { MAX_DUE_MS } from '../desk-checks.js';
import type { Fault, Scene } from '../fault.js';
import { pick, startDead } from '../fault.js';
import type { FilesReading } from '../history.js';
import { now } from '../history.js';
import { setClocks } from './clock.js';

/** Longer than an upload may take, and than the service waits for a store that gave no answer. */
const LATER_MS = 2 * 3_600_000;
/** Uploads of a desk at the same time, of which the service allows four, and the least rounds of them. */
const AT_ONCE = 3;
const ROUNDS = 3;
/** Parts of a file, and the pause after each: an upload takes half a second. */
const PARTS = 10;
const PART_BYTES = 20_000;
const PAUSE_MS = 50;
/** How long the store is gone. `FILES_GONE_MS=60000` plays a longer fault than CI does. */
const GONE_MS = Number(process.env['FILES_GONE_MS'] ?? 1_500);

const ROWS = `SELECT id, size, state FROM attachment WHERE workspace_id = ANY($1) AND state <> 'gone'`;
const USAGES = `
  SELECT bytes::float8 AS stored, (
    SELECT coalesce(sum(size), 0)::float8 FROM attachment
    WHERE attachment.workspace_id = file_usage.workspace_id AND state <> 'gone'
  ) AS actual
  FROM file_usage WHERE workspace_id = ANY($1)`;

/** Clients upload files, slowly, while the fault happens. Then the clocks move on, so that what failed is removed. */
const uploading = (name: string, strike: (scene: Scene, folder: string) => Promise<void>): Fault => ({
  number: 'F29',
  name,
  stage: { files: true },
  async inject(scene) {
    const { stage, crowd } = scene;
    const folder = stage.filesDir;
    if (folder === null) throw new Error('the stage has no folder for files');
    const uploaders = crowd.desks.map(desk => new Uploader(scene, desk));
    let isOver = false;
    const uploads = Promise.all(uploaders.map(uploader => uploader.run(() => isOver)));
    uploads.catch(() => undefined);
    await delay(scene.random() * 1_000);
    await strike(scene, folder).finally(() => (isOver = true));
    await Promise.all([startDead(stage), uploads]);
    const files = uploaders.flatMap(({ acknowledged }) => acknowledged);
    await setClocks(scene, stage.instances, LATER_MS);
    for (const end = now() + MAX_DUE_MS; ; await delay(50)) {
      const reading = await read(scene, folder);
      if (reading.rows.some(({ state }) => state !== 'ready') && now() < end) continue;
      crowd.history.files.push({ acknowledged: files, ...reading });
      return;
    }
  },
});

/** Uploads while an instance is killed, and while the store is gone. */
export const FILE_FAULTS: readonly Fault[] = [
  uploading('an instance is killed in the middle of uploads', async ({ stage, random }) => {
    await pick(random, stage.instances).kill();
  }),
  uploading('the store of files is gone for a while', async (_scene, folder) => {
    const store = join(folder, 'store');
    renameSync(store, `${store}.away`);
    await delay(GONE_MS);
    renameSync(`${store}.away`, store);
  }),
];

/** Uploads files of one workspace to any instance. */
class Uploader {
  readonly acknowledged: { id: string; size: number }[] = [];

  constructor(
    private readonly scene: Scene,
    private readonly desk: FaultyDesk,
  ) {}

  /** Uploads until the fault is over. */
  async run(isOver: () => boolean): Promise<void> {
    for (let round = 0; round < ROUNDS || !isOver(); round += 1) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.upload()));
    }
  }

  private async upload(): Promise<void> {
    const { stage, random } = this.scene;
    const instance = pick(random, stage.instances);
    const size = PARTS * PART_BYTES;
    const request: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.desk.key}`, 'Content-Type': 'multipart/form-data; boundary=x' },
      body: slowForm(),
      duplex: 'half',
    };
    const answer = await fetch(`${instance.url}/v1/attachments`, request).catch(() => null);
    const body = (await answer?.json().catch(() => null)) as { data?: { id: string } } | null | undefined;
    if (answer?.status === 201 && body?.data) this.acknowledged.push({ id: body.data.id, size });
    else if (answer?.status === 500) throw new Error('an upload was answered 500');
  }
}

function slowForm(): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  async function* parts() {
    yield text.encode('--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
    for (let part = 0; part < PARTS; part += 1) {
      yield text.encode('a'.repeat(PART_BYTES));
      await delay(PAUSE_MS);
    }
    yield text.encode('\r\n--x--\r\n');
  }
  return ReadableStream.from(parts());
}

/** Reads the store before the rows: a file whose row is not there yet is not in the store either. */
async function read({ stage, crowd }: Scene, folder: string): Promise<Omit<FilesReading, 'acknowledged'>> {
  const store = join(folder, 'store');
  mkdirSync(store, { recursive: true });
  const paths = readdirSync(store, { recursive: true, encoding: 'utf8' }).map(path => join(store, path));
  const stored = paths.flatMap(path => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? [{ id: basename(path), size: found.size }] : [];
  });
  return stage.database.with(async client => ({
    stored,
    rows: (await client.query<FilesReading['rows'][number]>(ROWS, [crowd.workspaceIds])).rows,
    usages: (await client.query<FilesReading['usages'][number]>(USAGES, [crowd.workspaceIds])).rows,
  }));
}
