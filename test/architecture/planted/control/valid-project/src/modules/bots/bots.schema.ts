import { ApiProperty } from '@nestjs/swagger';
import type { BotRecord } from './bot.js';

export class BotView {
  @ApiProperty()
  name!: string;
}

export const toBotView = (bot: BotRecord): BotView => ({ name: bot.name });
