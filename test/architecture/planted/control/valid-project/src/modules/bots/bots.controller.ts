import type { Request } from 'express';
import { toBotView } from './bots.schema.js';
import { BotsService } from './bots.service.js';

export const get = (_request: Request, bots: BotsService) => [bots, toBotView];
