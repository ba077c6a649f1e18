import { Column, Entity } from 'typeorm';
import type { BotRecord } from './bot.js';

@Entity('bot')
export class Bot implements BotRecord {
  @Column('text')
  name!: string;
}
