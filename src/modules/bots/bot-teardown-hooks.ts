import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { Bot } from './bot.js';

/** Hooks that run when a bot is deleted: its conversations go to people, and channels stop routing to it. */
@Injectable()
export class BotTeardownHooks extends TeardownHooks<Bot> {}
