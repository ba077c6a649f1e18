import { Injectable } from '@nestjs/common';
import { BotsRepository } from './bots.repository.js';

@Injectable()
export class BotsService {
  constructor(readonly bots: BotsRepository) {}
}
