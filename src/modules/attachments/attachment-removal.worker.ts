import { Injectable } from '@nestjs/common';
import { FileStore } from '../../platform/files/file-store.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { storeKey } from './attachment.js';
import type { Removal } from './removals.repository.js';
import { RemovalsRepository } from './removals.repository.js';

/**
 * Removes the bytes of files that were not sent in time, were unsent or erased, or whose upload has died. The row
 * goes last, so no bytes are ever without one.
 */
@Injectable()
export class AttachmentRemovalWorker extends DueWorker<Removal> {
  protected readonly name = 'attachment_removals';

  constructor(
    dependencies: WorkerDependencies,
    private readonly removals: RemovalsRepository,
    private readonly store: FileStore,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<Removal[]> {
    return this.removals.claim(query);
  }

  protected async work({ id, state }: Removal): Promise<boolean> {
    if (state === 'gone') await this.transaction(() => this.removals.delete(id));
    else {
      await this.store.remove(storeKey(id, 'thumbnail'));
      await this.store.remove(storeKey(id));
      await this.transaction(() => this.removals.free(id));
    }
    return true;
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.removals.measure(now);
  }
}
