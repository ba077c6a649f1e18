export class BotManager {}
