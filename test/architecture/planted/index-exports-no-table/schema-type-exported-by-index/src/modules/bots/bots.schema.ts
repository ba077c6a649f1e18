export interface BotView {
  name: string;
}
