import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/domain-event.js';
import type { Conversation } from './conversation.js';

/** A conversation before and after a change; `from` is null for a new one. */
export interface ConversationChange {
  from: Conversation | null;
  to: Conversation;
}

export type ConversationChangeHook = (changes: readonly ConversationChange[], actor: Actor) => Promise<void>;

/**
 * Hooks that run when conversations were opened or changed, other than by a message alone. They run once for all
 * conversations of a unit of work that change together, in that unit, after the conversations and before their counts
 * were written. A hook only writes rows. It locks rows of its own in the order of their ids.
 */
@Injectable()
export class ConversationChangeHooks {
  private readonly hooks: ConversationChangeHook[] = [];

  add(hook: ConversationChangeHook): void {
    this.hooks.push(hook);
  }

  /** Runs the hooks in order of registration. A hook that throws undoes the unit of work. */
  async run(changes: readonly ConversationChange[], actor: Actor): Promise<void> {
    for (const hook of this.hooks) await hook(changes, actor);
  }
}
