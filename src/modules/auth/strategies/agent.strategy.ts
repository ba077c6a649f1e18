import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { narrow } from '../../../kernel/channel-scope.js';
import { Clock } from '../../../kernel/clock.js';
import { InvalidToken, TokenExpired, TokenRevoked } from '../../../kernel/errors.js';
import type { AgentPrincipal } from '../../../kernel/principal.js';
import { API_KEY_ROLE, lowerRole } from '../../../kernel/principal.js';
import { DeactivatedMembersToken } from '../auth.errors.js';
import type { PrincipalStates } from '../principal-states.js';
import type { AgentClaims } from '../token.service.js';
import { ISSUER, TokenService } from '../token.service.js';
import type { TokenRequest } from './token-request.js';
import { tokenOf } from './token-request.js';
import { VerifiedCredentialsStore } from '../verified-credentials.store.js';

/**
 * Verifies an agent's access token. Role, scope, status and session are read on each request, so that a demotion or
 * logout takes effect at once.
 * A session opened by an API key has at most the key's role: otherwise an admin could become an owner by creating a
 * key.
 */
@Injectable()
export class AgentStrategy extends PassportStrategy(Strategy, 'agent') {
  constructor(
    tokens: TokenService,
    private readonly clock: Clock,
    private readonly verified: VerifiedCredentialsStore,
  ) {
    super({
      jwtFromRequest: tokenOf,
      secretOrKeyProvider: (_request, token, done) => done(null, tokens.keyOf(String(token)) as unknown as Buffer),
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: 'agent',
      ignoreExpiration: true,
      passReqToCallback: true,
    });
  }

  validate({ token, states }: TokenRequest, claims: AgentClaims): Promise<AgentPrincipal> {
    this.verified.add(token, { kind: 'agent', claims });
    return this.principalOf(claims, states);
  }

  /** @param claims of a verified token @throws InvalidToken, TokenExpired, TokenRevoked, DeactivatedMembersToken */
  async principalOf(claims: AgentClaims, states: PrincipalStates): Promise<AgentPrincipal> {
    const now = this.clock.now();
    const expiresAt = new Date(claims.exp * 1000);
    if (expiresAt <= now) throw new TokenExpired();
    const state = await states.findSessionState(claims.ws, claims.sid);
    if (!state) throw new InvalidToken();
    if (state.status !== 'active') throw new DeactivatedMembersToken();
    if (state.endedAt || state.expiresAt <= now) throw new TokenRevoked();
    return {
      kind: 'agent',
      workspaceId: claims.ws,
      memberId: state.memberId,
      userId: state.userId,
      role: state.workspaceBound ? lowerRole(state.role, API_KEY_ROLE) : state.role,
      name: state.name,
      avatarUrl: state.avatarUrl,
      scope: narrow(state.memberChannels, state.sessionChannels),
      sessionScope: state.sessionChannels,
      workspaceBound: state.workspaceBound,
      sessionId: state.sessionId,
      familyId: state.familyId,
      expiresAt,
    };
  }
}
