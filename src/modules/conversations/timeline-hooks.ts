import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/domain-event.js';
import type { Conversation } from './conversation.js';
import type { TimelineEntry } from './lifecycle.js';

export type TimelineHook = (conversation: Conversation, entry: TimelineEntry, actor: Actor) => Promise<void>;

/**
 * Hooks that write timeline entries. An entry is a message, and the module of messages comes later in the module order,
 * so it registers itself when it starts.
 */
@Injectable()
export class TimelineHooks {
  private readonly hooks: TimelineHook[] = [];

  add(hook: TimelineHook): void {
    this.hooks.push(hook);
  }

  /** Runs in the caller's unit of work, which has locked the conversation. @throws Error if no hook is registered */
  async run(conversation: Conversation, entry: TimelineEntry, actor: Actor): Promise<void> {
    if (this.hooks.length === 0) throw new Error(`no hook writes the timeline entry ${entry.event}`);
    for (const hook of this.hooks) await hook(conversation, entry, actor);
  }
}
