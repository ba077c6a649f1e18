import { Injectable } from '@nestjs/common';
import {
  EncryptedColumnRepository,
  encryptedColumnStatements,
} from '../../platform/encryption/encrypted-column.repository.js';

export const SECRET_CONTEXT = 'bot.secret';

const SECRETS = encryptedColumnStatements('bot', 'secret');
const PREVIOUS_SECRETS = encryptedColumnStatements('bot', 'previous_secret');

@Injectable()
export class BotSecretsRepository extends EncryptedColumnRepository {
  readonly name = 'secrets of bots';
  readonly context = SECRET_CONTEXT;
  protected readonly statements = SECRETS;
}

@Injectable()
export class BotPreviousSecretsRepository extends EncryptedColumnRepository {
  readonly name = 'previous secrets of bots';
  readonly context = SECRET_CONTEXT;
  protected readonly statements = PREVIOUS_SECRETS;
}
