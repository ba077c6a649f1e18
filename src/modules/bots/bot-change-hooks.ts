import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { Bot } from './bot.js';

export interface BotChange {
  from: Bot;
  to: Bot;
}

/** Hooks that run when a bot's settings changed, in the unit of work that changes them. */
@Injectable()
export class BotChangeHooks extends TeardownHooks<BotChange> {}
