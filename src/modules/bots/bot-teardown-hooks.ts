import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { Bot } from './bot.js';

/** What a deleted bot leaves behind: conversations that it led, which go to people, and channels that led to it. */
@Injectable()
export class BotTeardownHooks extends TeardownHooks<Bot> {}
