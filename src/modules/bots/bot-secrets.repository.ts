import { Injectable } from '@nestjs/common';
import { SealedColumn, sealedIn } from '../../platform/encryption/sealed-column.repository.js';

export const SECRET_CONTEXT = 'bot.secret';

const SECRETS = sealedIn('bot', 'secret');

@Injectable()
export class BotSecrets extends SealedColumn {
  readonly what = 'secrets of bots';
  readonly context = SECRET_CONTEXT;
  protected readonly statements = SECRETS;
}
