import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Unavailable } from '../../kernel/errors.js';
import { FairConcurrencyQueue } from '../limits/fair-concurrency-queue.js';
import { getRequestShare } from '../limits/request-share.js';
import type { ImageFacts, ImageTask } from './image-task.js';
import { DISK_FAILED, UNREADABLE } from './image-task.js';

/** Part of the build, also when the service runs from its sources in tests. */
const PROGRAM = fileURLToPath(new URL('../../../dist/platform/images/image-process.js', import.meta.url));
/** The process is killed after this time. */
const TIMEOUT_MS = 20_000;
/** With the time limit, the last one waits eight minutes at most. */
const MAX_WAITING = 25;
const HEAP_MIB = 64;

/** A signal that ends all processes of the service at once, as Ctrl-C in a terminal does, says nothing about the image. */
const END_SIGNALS: ReadonlySet<unknown> = new Set<NodeJS.Signals>(['SIGHUP', 'SIGINT', 'SIGTERM']);

const run = promisify(execFile);

/**
 * Decodes images one at a time, each in a process of its own: the event loop stays free, memory returns to the system,
 * and an image that takes too long is killed with its process. Workspaces and networks take turns.
 */
@Injectable()
export class ImagesService {
  private readonly queue = new FairConcurrencyQueue(MAX_WAITING);

  /** @throws RateLimited when too many images wait, Unavailable when the disk is full or gone, or the service ends */
  async process(workspaceId: string, task: ImageTask): Promise<ImageFacts> {
    return this.queue.run(getRequestShare(workspaceId), async () => {
      try {
        const { stdout } = await run(
          process.execPath,
          [`--max-old-space-size=${HEAP_MIB}`, PROGRAM, JSON.stringify(task)],
          // only loaders that libvips recommends for strangers' files; none of the service's secrets
          { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', env: { VIPS_BLOCK_UNTRUSTED: '1' } },
        );
        return JSON.parse(stdout) as ImageFacts;
      } catch (error) {
        const { code, signal } = error as { code?: unknown; signal?: unknown };
        if (code === DISK_FAILED || END_SIGNALS.has(signal)) throw new Unavailable({ cause: error });
        return { ...UNREADABLE, keepsMetadata: task.removeMetadata };
      }
    });
  }
}
