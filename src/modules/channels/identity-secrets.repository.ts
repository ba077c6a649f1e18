import { Injectable } from '@nestjs/common';
import { SealedColumn, sealedIn } from '../../platform/encryption/sealed-column.repository.js';

export const IDENTITY_CONTEXT = 'channel.identity_secret';

const SECRETS = sealedIn('channel', 'identity_secret');

@Injectable()
export class IdentitySecrets extends SealedColumn {
  readonly what = 'identity secrets of channels';
  readonly context = IDENTITY_CONTEXT;
  protected readonly statements = SECRETS;
}
