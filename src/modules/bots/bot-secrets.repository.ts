import { Injectable } from '@nestjs/common';
import {
  EncryptedColumnRepository,
  encryptedColumnStatements,
} from '../../platform/encryption/encrypted-column.repository.js';

export const SECRET_CONTEXT = 'bot.secret';

const SECRETS = encryptedColumnStatements('bot', 'secret');

@Injectable()
export class BotSecretsRepository extends EncryptedColumnRepository {
  readonly name = 'secrets of bots';
  readonly context = SECRET_CONTEXT;
  protected readonly statements = SECRETS;
}
