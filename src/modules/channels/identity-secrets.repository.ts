import { Injectable } from '@nestjs/common';
import {
  EncryptedColumnRepository,
  encryptedColumnStatements,
} from '../../platform/encryption/encrypted-column.repository.js';

export const IDENTITY_CONTEXT = 'channel.identity_secret';

const SECRETS = encryptedColumnStatements('channel', 'identity_secret');

@Injectable()
export class IdentitySecretsRepository extends EncryptedColumnRepository {
  readonly name = 'identity secrets of channels';
  readonly context = IDENTITY_CONTEXT;
  protected readonly statements = SECRETS;
}
