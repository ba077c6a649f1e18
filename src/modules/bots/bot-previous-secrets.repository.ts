import { Injectable } from '@nestjs/common';
import {
  EncryptedColumnRepository,
  encryptedColumnStatements,
} from '../../platform/encryption/encrypted-column.repository.js';
import { SECRET_CONTEXT } from './bot-secrets.repository.js';

const SECRETS = encryptedColumnStatements('bot', 'previous_secret');

@Injectable()
export class BotPreviousSecretsRepository extends EncryptedColumnRepository {
  readonly name = 'previous secrets of bots';
  readonly context = SECRET_CONTEXT;
  protected readonly statements = SECRETS;
}
