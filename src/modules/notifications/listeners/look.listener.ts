import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ParticipantKey } from '../../conversations/index.js';
import { LookHooks } from '../../conversations/index.js';
import { NotificationWritesService } from '../notification-writes.service.js';
import { RepliesRepository } from '../replies.repository.js';

/** Marks a member's notifications as read when it looks at the conversation. */
@Injectable()
export class LookListener implements OnModuleInit {
  constructor(
    private readonly writes: NotificationWritesService,
    private readonly replies: RepliesRepository,
    private readonly hooks: LookHooks,
  ) {}

  onModuleInit(): void {
    this.hooks.add((look, seq) => this.read(look, seq));
  }

  /** A notification of a reply also stands for the contact's later messages. Those after the look need another one. */
  private async read(look: ParticipantKey, seq: number): Promise<void> {
    const read = await this.writes.readLookedAt(look, seq);
    if (!read.some(({ type }) => type === 'replied')) return;
    const next = await this.replies.findNext(look, seq);
    if (next) await this.writes.notifyOfReplies([next]);
  }
}
