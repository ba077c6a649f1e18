import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/domain-event.js';
import type { Conversation } from './conversation.js';
import type { TimelineEntry } from './lifecycle.js';

/** Writes timeline entries. Both methods run in the caller's unit of work, which has locked the conversation. */
export interface Timeline {
  /** @param memberId the member whom reports count the entry for */
  append(conversation: Conversation, entry: TimelineEntry, actor: Actor, memberId: string | null): Promise<void>;
  /**
   * Unsends the entry of the resolve that a conversation is in.
   * @returns false if there has been a public message since
   */
  withdrawResolve(conversation: Conversation, actor: Actor): Promise<boolean>;
}

/**
 * Hook for the timeline. An entry is a message, and the module of messages comes later in the module order, so it
 * registers itself when it starts.
 */
@Injectable()
export class TimelineHooks {
  private registered: Timeline | undefined;

  set(timeline: Timeline): void {
    this.registered = timeline;
  }

  /** @throws Error if no timeline is registered */
  get timeline(): Timeline {
    if (!this.registered) throw new Error('no module has registered the timeline');
    return this.registered;
  }
}
