import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import type { FileStore } from '../../src/platform/files/file-store.js';

export interface FileStoreUnderTest {
  name: string;
  open: () => Promise<FileStore>;
  /** Makes the store unreachable, and reachable again. */
  lose: () => Promise<void>;
  restore: () => Promise<void>;
}

/** The policy of every implementation of the port `FileStore`. */
export function fileStoreSuite({ name, open, lose, restore }: FileStoreUnderTest): void {
  describe(`${name} as a file store`, () => {
    let store: FileStore;
    let folder: string;
    beforeAll(async () => {
      store = await open();
      folder = await mkdtemp(join(tmpdir(), 'support-chat-store-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const key = () => `${randomBytes(1).toString('hex')}/${newId()}`;
    const contentOf = async (stream: Readable | null) => (stream ? buffer(stream) : null);
    async function local(bytes: Buffer): Promise<string> {
      const path = join(folder, newId());
      await writeFile(path, bytes);
      return path;
    }
    async function put(bytes: Buffer): Promise<string> {
      const made = key();
      await store.put(made, await local(bytes), 'application/octet-stream');
      return made;
    }

    it('A file comes back with its bytes.', async () => {
      for (const bytes of [Buffer.from('x'), randomBytes(1024 * 1024 + 1), Buffer.alloc(0)]) {
        expect(await contentOf(await store.open(await put(bytes)))).toEqual(bytes);
      }
    });

    it('A range holds both of its ends.', async () => {
      const stored = await put(Buffer.from('0123456789'));
      const part = await contentOf(await store.open(stored, { start: 2, end: 4 }));
      expect(part?.toString()).toBe('234');
      expect((await contentOf(await store.open(stored, { start: 9, end: 9 })))?.toString()).toBe('9');
    });

    it('A file that was not stored is null, and removing it does nothing.', async () => {
      expect(await store.open(key())).toBeNull();
      await expect(store.remove(key())).resolves.toBeUndefined();
    });

    it('A removed file is gone, and its neighbour stays.', async () => {
      const [one, other] = [await put(Buffer.from('1')), await put(Buffer.from('2'))];
      await store.remove(one);
      expect(await store.open(one)).toBeNull();
      expect((await contentOf(await store.open(other)))?.toString()).toBe('2');
    });

    it('Files are stored at the same time without mixing.', async () => {
      const all = Array.from({ length: 20 }, () => randomBytes(50_000));
      const keys = await Promise.all(all.map(put));
      const back = await Promise.all(keys.map(async stored => contentOf(await store.open(stored))));
      expect(back).toEqual(all);
    });

    it('A lost store is unavailable to every call and loses nothing: afterwards all works again.', async () => {
      const stored = await put(Buffer.from('kept'));
      const path = await local(Buffer.from('refused'));
      const refused = key();
      await lose();
      try {
        await expect(store.put(refused, path, 'text/plain')).rejects.toMatchObject({ code: 'unavailable' });
        await expect(store.open(stored)).rejects.toMatchObject({ code: 'unavailable' });
        await expect(store.remove(stored)).rejects.toMatchObject({ code: 'unavailable' });
      } finally {
        await restore();
      }
      expect(await store.open(refused)).toBeNull();
      expect((await contentOf(await store.open(stored)))?.toString()).toBe('kept');
    });
  });
}
