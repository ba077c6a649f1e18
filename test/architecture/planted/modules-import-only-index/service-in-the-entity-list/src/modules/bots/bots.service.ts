export class BotsService {}
