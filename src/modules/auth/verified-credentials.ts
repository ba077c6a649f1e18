import { Injectable } from '@nestjs/common';
import { VerifiedTokens } from '../../platform/access/verified-tokens.js';
import type { AgentClaims, VisitorClaims } from './token.service.js';

/** What a token of ours says. */
export type Credential = { kind: 'agent'; claims: AgentClaims } | { kind: 'visitor'; claims: VisitorClaims };

/** The access tokens of agents and visitors that this instance has verified. */
@Injectable()
export class VerifiedCredentials extends VerifiedTokens<Credential> {
  constructor() {
    super();
  }
}
