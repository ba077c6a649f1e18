import { Injectable } from '@nestjs/common';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import type { ChannelSweep } from './channel-sweeps.repository.js';
import { ChannelSweepsRepository } from './channel-sweeps.repository.js';

const SLICE = 500;

/**
 * Visits the next conversations of a channel, in the order of their ids, in the caller's unit of work.
 * @returns the last id; null if there are no further conversations
 */
export type SweepTask = (sweep: ChannelSweep, limit: number) => Promise<string | null>;

/** Visits the conversations of a channel whose settings changed, in slices, so that no transaction is long. */
@Injectable()
export class ChannelSweepWorker extends DueWorker<ChannelSweep> {
  protected readonly name = 'channel_sweeps';
  private readonly tasks = new Map<string, SweepTask>();

  constructor(
    dependencies: WorkerDependencies,
    private readonly sweeps: ChannelSweepsRepository,
  ) {
    super(dependencies);
  }

  /** @param name is stored with each sweep, so it must never change */
  addTask(name: string, task: SweepTask): void {
    this.tasks.set(name, task);
  }

  /** Requests a sweep, in the unit of work that changes the setting. */
  async request(workspaceId: string, channelId: string, task: string): Promise<void> {
    await this.sweeps.request(workspaceId, channelId, task, this.dependencies.clock.now());
    this.wakeAfterCommit();
  }

  protected claim(query: DueQuery): Promise<ChannelSweep[]> {
    return this.sweeps.findDue(query);
  }

  protected work({ id }: ChannelSweep): Promise<boolean> {
    return this.transaction(async () => {
      const sweep = await this.sweeps.tryLock(id);
      const task = sweep && this.tasks.get(sweep.task);
      if (!task) return false;
      await this.sweeps.advance(id, await task(sweep, SLICE));
      return true;
    });
  }

  protected measure(): Promise<Backlog> {
    return this.sweeps.measure();
  }
}
