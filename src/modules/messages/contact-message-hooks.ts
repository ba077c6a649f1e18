import { Injectable } from '@nestjs/common';
import type { Conversation } from '../conversations/index.js';
import type { Message } from './message.js';

/** A contact's message that was appended to its conversation. */
export interface ContactMessage {
  conversation: Conversation;
  message: Message;
  /** True for the first one since the conversation was opened or reopened. */
  firstOfOpening: boolean;
}

export type ContactMessageHook = (received: ContactMessage) => Promise<void>;

/**
 * Hooks that run after a contact's message was appended under the conversation's lock, in the same unit of work. The
 * fast path runs none: it takes no message that is the first of an opening, or that changes the status.
 */
@Injectable()
export class ContactMessageHooks {
  private readonly hooks: ContactMessageHook[] = [];

  add(hook: ContactMessageHook): void {
    this.hooks.push(hook);
  }

  /** Runs the hooks in order of registration. A hook that throws undoes the unit of work. */
  async run(received: ContactMessage): Promise<void> {
    for (const hook of this.hooks) await hook(received);
  }
}
