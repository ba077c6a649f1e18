import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import supertest from 'supertest';
import { AttachmentRemovalWorker } from '../../src/modules/attachments/attachment-removal.worker.js';
import { eventually } from './eventually.js';
import type { Answer, Caller } from './http.js';
import type { Json } from './json.js';
import type { Visitor, World } from './world.js';

/** Uploads a file as a member or an API key. */
export function upload(caller: Caller, bytes: Buffer | string = 'Hello', name = 'note.txt'): Promise<Answer<Json>> {
  return caller.upload('/v1/attachments', Buffer.from(bytes), name);
}

/** Uploads a file as a visitor. */
export function uploadAsVisitor(
  { api }: Visitor,
  bytes: Buffer | string = 'Hello',
  name = 'note.txt',
): Promise<Answer<Json>> {
  return api.upload('/v1/widget/attachments', Buffer.from(bytes), name);
}

/** Opens the URL of a file, which names the configured host, on the running service. */
export function download(world: World, url: string, headers: Record<string, string> = {}): supertest.Test {
  const { pathname, search } = new URL(url);
  return supertest(world.app.url)
    .get(pathname + search)
    .set(headers)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(null, Buffer.concat(chunks)));
    });
}

/** Names of the files in the store and of uploads under way. */
export function filesOf(world: World): { stored: string[]; incoming: string[] } {
  const { filesDir } = world.app.config;
  return { stored: namesIn(join(filesDir, 'store')), incoming: namesIn(join(filesDir, 'incoming')) };
}

function namesIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.filter(path => statSync(join(folder, path)).isFile());
}

/** Waits until all files that must go have gone, also those that the service is removing already. */
export async function removeDueFiles(world: World): Promise<void> {
  await world.app.app.get(AttachmentRemovalWorker).runUntilDone();
  const waiting = `SELECT FROM attachment WHERE state IN ('abandoned', 'removed')`;
  await eventually(async () => (await world.app.database.query(waiting)).length === 0 || undefined);
}

/** Bytes that the workspace's files take or have reserved. */
export async function usedBytes(world: World, workspaceId: string): Promise<number> {
  const [usage] = await world.app.database.query<{ bytes: string }>(
    'SELECT bytes FROM file_usage WHERE workspace_id = $1',
    [workspaceId],
  );
  return Number(usage?.bytes ?? 0);
}
