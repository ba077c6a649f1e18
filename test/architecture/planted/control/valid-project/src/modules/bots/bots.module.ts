import { BotsController } from './bots.visitor.controller.js';
import { BotsService } from './bots.service.js';

export const BotsModule = [BotsController, BotsService];
