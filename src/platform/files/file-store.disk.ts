import { constants, createReadStream } from 'node:fs';
import { access, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Unavailable } from '../../kernel/errors.js';
import type { ByteRange } from './file-store.js';
import { FileStore } from './file-store.js';

/** Files in a folder. Several instances need a folder that they share. */
export class DiskFileStore extends FileStore {
  readonly kind = 'disk';

  /** @param folder exists: one that is missing later is a disk that is not mounted, and is never made anew */
  private constructor(
    private readonly folder: string,
    readonly usable: boolean,
  ) {
    super();
  }

  /** Makes the folder. A service whose disk is missing starts nevertheless, and answers uploads with 503. */
  static async open(folder: string): Promise<FileStore> {
    const usable = await mkdir(folder, { recursive: true })
      .then(() => access(folder, constants.W_OK))
      .then(
        () => true,
        () => false,
      );
    return new DiskFileStore(folder, usable);
  }

  /** Synchronises the file and its folder before it returns: the row that names the file survives a power failure. */
  async put(key: string, localFile: string): Promise<void> {
    const path = this.pathOf(key);
    await orUnavailable(async () => {
      const made = await mkdir(dirname(path)).then(() => true, falseIfExists);
      if (made) await synchronize(this.folder);
      await synchronize(localFile);
      await moveTo(path, localFile);
      await synchronize(dirname(path));
    });
  }

  async open(key: string, range?: ByteRange): Promise<Readable | null> {
    const path = this.pathOf(key);
    return orUnavailable(async () => {
      const found = await stat(path).catch(nullIfMissing);
      if (found) return createReadStream(path, range ?? {});
      // without its folder the store itself is lost, not the file
      await stat(this.folder);
      return null;
    });
  }

  async remove(key: string): Promise<void> {
    await orUnavailable(async () => {
      await stat(this.folder);
      await rm(this.pathOf(key), { force: true });
      await rm(temporaryOf(this.pathOf(key)), { force: true });
    });
  }

  private pathOf(key: string): string {
    return join(this.folder, key);
  }
}

/** Renames, or copies from another file system under a temporary name. */
async function moveTo(path: string, localFile: string): Promise<void> {
  try {
    await rename(localFile, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyTo(path, localFile);
  }
}

/** Leaves nothing of a copy that fails. One that a crash cuts goes when its file is removed. */
async function copyTo(path: string, localFile: string): Promise<void> {
  const temporary = temporaryOf(path);
  try {
    await copyFile(localFile, temporary);
    await synchronize(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function temporaryOf(path: string): string {
  return `${path}.incoming`;
}

async function synchronize(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function falseIfExists(error: NodeJS.ErrnoException): false {
  if (error.code === 'EEXIST') return false;
  throw error;
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** @throws Unavailable for every error of the file system: full, read-only, not mounted */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Unavailable({ cause: error });
  }
}
