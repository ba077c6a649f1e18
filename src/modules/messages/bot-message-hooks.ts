import { Injectable } from '@nestjs/common';
import type { Conversation } from '../conversations/index.js';
import type { Message } from './message.js';

/** A bot's message that was appended to its conversation. */
export interface BotMessage {
  conversation: Conversation;
  message: Message;
}

export type BotMessageHook = (sent: BotMessage) => Promise<void>;

/** Hooks that run after a bot's message was appended under the conversation's lock, in the same unit of work. */
@Injectable()
export class BotMessageHooks {
  private readonly hooks: BotMessageHook[] = [];

  add(hook: BotMessageHook): void {
    this.hooks.push(hook);
  }

  /** Runs the hooks in order of registration. A hook that throws undoes the unit of work. */
  async run(sent: BotMessage): Promise<void> {
    for (const hook of this.hooks) await hook(sent);
  }
}
