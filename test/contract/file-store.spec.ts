import { mkdtemp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
