import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { orUnavailable } from './file-store.disk.js';

const SWEEP_MS = 600_000;
/** Longer than any upload takes. A folder this old is what a crash left. */
const MAX_AGE_MS = 3_600_000;

/** Temporary folders of uploads under way, on the same disk as the store, so that a finished file is renamed. */
@Injectable()
export class IncomingFilesService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('files');
  private readonly folder: string;
  private timer: NodeJS.Timeout | undefined;

  constructor({ filesDir }: Config) {
    this.folder = join(filesDir, 'incoming');
  }

  async onApplicationBootstrap(): Promise<void> {
    await mkdir(this.folder, { recursive: true }).catch(() => undefined);
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
    void this.sweep();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Runs the work with a temporary folder, and removes it. @throws Unavailable */
  async use<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const path = join(this.folder, randomUUID());
    await orUnavailable(() => mkdir(path));
    try {
      return await work(path);
    } finally {
      await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
        this.logger.warn(`${path} stays: ${String(error)}`),
      );
    }
  }

  /** Removes what uploads of a crashed process left. @returns the number of removed folders */
  async sweep(now = Date.now()): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.folder).catch(() => [])) {
      const path = join(this.folder, name);
      const found = await stat(path).catch(() => null);
      if (!found || found.mtimeMs > now - MAX_AGE_MS) continue;
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
      removed += 1;
    }
    return removed;
  }
}
