import { BotsService } from './bots.service.js';

export class BotsController {
  constructor(readonly bots: BotsService) {}
}
