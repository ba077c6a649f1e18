import { Bot } from './bot.entity.js';
import { BotsController } from './bots.visitor.controller.js';
import { BotsRepository } from './bots.repository.js';
import { BotsService } from './bots.service.js';

export const BotsModule = [Bot, BotsController, BotsRepository, BotsService];
