import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DiskFileStore } from '../../src/platform/files/file-store.disk.js';
import { S3FileStore } from '../../src/platform/files/file-store.s3.js';
import { hasS3, S3Server } from '../support/s3.js';
import { fileStoreSuite } from './file-store.suite.js';

let folder: string;

fileStoreSuite({
  name: 'A folder',
  open: async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'support-chat-disk-')), 'store');
    return DiskFileStore.open(folder);
  },
  lose: () => rename(folder, `${folder}.away`),
  restore: () => rename(`${folder}.away`, folder),
});

let server: S3Server;

if (hasS3) {
  fileStoreSuite({
    name: 'A bucket',
    open: async () => {
      server = await S3Server.start();
      return S3FileStore.connect(server.settings);
    },
    lose: () => server.kill(),
    restore: () => server.start(),
  });
}

/** A file system in memory, which every Linux machine has, and which is another one than that of temporary files. */
const MEMORY = '/dev/shm';
const hasOtherDisk = await Promise.all([MEMORY, tmpdir()].map(path => stat(path).then(({ dev }) => dev))).then(
  ([memory, disk]) => memory !== disk,
  () => false,
);

(hasOtherDisk ? describe : describe.skip)('A folder on another disk than that of uploads', () => {
  it('It has whole files only: a copy that fails, or was cut by a crash, leaves nothing.', async () => {
    const other = await mkdtemp(join(MEMORY, 'support-chat-store-'));
    const local = join(await mkdtemp(join(tmpdir(), 'support-chat-local-')), 'file');
    try {
      const store = await DiskFileStore.open(join(other, 'store'));
      await writeFile(local, 'whole');
      await store.put('aa/one', local, 'text/plain');
      expect(await readdir(join(other, 'store', 'aa'))).toEqual(['one']);
      // a folder in the place of the file makes the last step fail, as a full disk would
      await mkdir(join(other, 'store', 'aa', 'two', 'x'), { recursive: true });
      await expect(store.put('aa/two', local, 'text/plain')).rejects.toMatchObject({ code: 'unavailable' });
      expect(await readdir(join(other, 'store', 'aa'))).toEqual(['one', 'two']);
      await writeFile(join(other, 'store', 'aa', 'three.incoming'), 'half');
      await store.remove('aa/three');
      expect(await readdir(join(other, 'store', 'aa'))).toEqual(['one', 'two']);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });
});
