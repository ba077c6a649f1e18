import { Injectable, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { ChannelChangeHooks } from '../../channels/index.js';
import type { Conversation, ConversationChange } from '../../conversations/index.js';
import { ChannelSweepWorker, ConversationChangeHooks } from '../../conversations/index.js';
import { IdleTimersRepository } from '../idle-timers.repository.js';

const TASK = 'idle_timers';

/** Starts a timer when a conversation becomes open or pending, and stops it when it is neither. */
@Injectable()
export class IdleTimerListener implements OnModuleInit {
  constructor(
    private readonly timers: IdleTimersRepository,
    private readonly conversationHooks: ConversationChangeHooks,
    private readonly channelHooks: ChannelChangeHooks,
    private readonly sweeps: ChannelSweepWorker,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.conversationHooks.add(changes => this.follow(changes));
    this.channelHooks.add(async ({ from, to }) => {
      if (to.autoResolveHours === null || to.autoResolveHours === from.autoResolveHours) return;
      await this.sweeps.request(to.workspaceId, to.id, TASK);
    });
    this.sweeps.addTask(TASK, ({ workspaceId, channelId, afterId }, limit) =>
      this.timers.armSlice(workspaceId, channelId, afterId, limit),
    );
  }

  private async follow(changes: readonly ConversationChange[]): Promise<void> {
    const workspaceId = changes[0]?.to.workspaceId ?? '';
    const started = changes.filter(({ from, to }) => isActive(to) && !(from && isActive(from)));
    const stopped = changes.filter(({ from, to }) => !isActive(to) && from && isActive(from));
    const armings = started.map(({ to: { id, channelId } }) => ({ conversationId: id, channelId }));
    if (armings.length > 0) await this.timers.arm(workspaceId, armings, this.clock.now());
    if (stopped.length > 0) {
      await this.timers.disarm(
        workspaceId,
        stopped.map(({ to }) => to.id),
      );
    }
  }
}

function isActive({ status }: Conversation): boolean {
  return status === 'open' || status === 'pending';
}
