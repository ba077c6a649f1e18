export class BotsListService {}
