import { Injectable } from '@nestjs/common';
import { openTimeBetween } from '../../kernel/opening.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { ChannelsService } from '../channels/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import { REPLY_DAYS, typicalReplySeconds } from './reply-time.js';
import { ReplyTimesRepository } from './reply-times.repository.js';

const INTERVAL_MS = 10 * 60_000;

/**
 * Computes the typical reply time of each channel every ten minutes: the median of the first answers of seven days,
 * counted within business hours. An answer outside of them says nothing about the opening times, and is left out. When
 * two instances compute at the same time, both get the same result.
 */
@Injectable()
export class ReplyTimeWorker extends DueWorker<DueRow> {
  protected readonly name = 'reply_times';

  constructor(
    dependencies: WorkerDependencies,
    private readonly replyTimes: ReplyTimesRepository,
    private readonly channels: ChannelsService,
    private readonly workspaces: WorkspacesService,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<DueRow[]> {
    return this.replyTimes.findDue(query);
  }

  protected async work({ id: channelId, workspaceId }: DueRow, now: Date): Promise<boolean> {
    const key = { workspaceId, channelId };
    const channel = await this.channels.find(workspaceId, channelId);
    const workspace = await this.workspaces.find(workspaceId);
    const answers = await this.replyTimes.findAnswers(key, this.dependencies.clock.daysAgo(REPLY_DAYS));
    if (!channel || !workspace || channel.deletedAt || answers.length === 0) {
      await this.replyTimes.remove(key);
      return true;
    }
    const hours = channel.businessHours ?? workspace.businessHours;
    const waits = answers
      .map(({ askedAt, answeredAt }) => openTimeBetween(hours, workspace.timezone, askedAt, answeredAt) / 1_000)
      .filter(seconds => seconds > 0);
    await this.replyTimes.save(key, typicalReplySeconds(waits), new Date(now.getTime() + INTERVAL_MS));
    return true;
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.replyTimes.measure(now);
  }
}
