export interface BotRecord {
  name: string;
}
