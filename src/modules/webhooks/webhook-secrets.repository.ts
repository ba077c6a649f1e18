import { Injectable } from '@nestjs/common';
import {
  EncryptedColumnRepository,
  encryptedColumnStatements,
} from '../../platform/encryption/encrypted-column.repository.js';

export const SECRET_CONTEXT = 'webhook.secret';

const SECRETS = encryptedColumnStatements('webhook', 'secret');

@Injectable()
export class WebhookSecretsRepository extends EncryptedColumnRepository {
  readonly name = 'secrets of webhooks';
  readonly context = SECRET_CONTEXT;
  protected readonly statements = SECRETS;
}
