import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-custom';
import type { ApiKeyPrincipal } from '../../../kernel/principal.js';
import { ApiKeysService } from '../../api-keys/index.js';
import { tokenOf } from './token-request.js';

/** Verifies an API key, which is read on each request. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy, 'api_key') {
  constructor(private readonly keys: ApiKeysService) {
    super();
  }

  validate(request: unknown): Promise<ApiKeyPrincipal> {
    return this.keys.authenticate(tokenOf(request));
  }
}
