import { Injectable } from '@nestjs/common';
import {
  EncryptedColumnRepository,
  encryptedColumnStatements,
} from '../../platform/encryption/encrypted-column.repository.js';
import { SECRET_CONTEXT } from './webhook-secrets.repository.js';

const SECRETS = encryptedColumnStatements('webhook', 'previous_secret');

@Injectable()
export class PreviousWebhookSecretsRepository extends EncryptedColumnRepository {
  readonly name = 'previous secrets of webhooks';
  readonly context = SECRET_CONTEXT;
  protected readonly statements = SECRETS;
}
