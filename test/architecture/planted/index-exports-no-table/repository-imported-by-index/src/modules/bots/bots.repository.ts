export class BotsRepository {}
