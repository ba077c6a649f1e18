import { Injectable } from '@nestjs/common';
import { Holdings } from '../../kernel/holdings.js';
import type { Bot } from './bot.js';

/** What a deleted bot leaves behind: conversations that it led, which go to people, and channels that led to it. */
@Injectable()
export class BotHoldings extends Holdings<Bot> {}
