import { Injectable } from '@nestjs/common';
import { VerifiedTokens } from '../../platform/access/verified-tokens.js';
import type { AgentClaims, VisitorClaims } from './token.service.js';

/** Claims of a verified token. */
export type Credential = { kind: 'agent'; claims: AgentClaims } | { kind: 'visitor'; claims: VisitorClaims };

/** Cache of access tokens of agents and visitors that this instance verified. */
@Injectable()
export class VerifiedCredentialsStore extends VerifiedTokens<Credential> {
  constructor() {
    super();
  }
}
