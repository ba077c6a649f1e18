import { BotsRepository } from './bots.repository.js';

export class BotsService {
  constructor(readonly bots: BotsRepository) {}
}
