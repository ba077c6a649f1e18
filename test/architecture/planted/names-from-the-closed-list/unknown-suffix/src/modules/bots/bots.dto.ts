export class BotDto {}
