import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { TokenExpired, TokenRevoked } from '../../../kernel/errors.js';
import type { VisitorPrincipal } from '../../../kernel/principal.js';
import { ContactBlocked } from '../../contacts/index.js';
import type { PrincipalStates } from '../principal-states.js';
import type { VisitorClaims } from '../token.service.js';
import { channelGenerationIn, ISSUER, TokenService } from '../token.service.js';
import type { TokenRequest } from './token-request.js';
import { tokenOf } from './token-request.js';
import { VerifiedCredentialsStore } from '../verified-credentials.store.js';

/** Verifies a visitor's token: one contact on one channel, for a day. */
@Injectable()
export class VisitorStrategy extends PassportStrategy(Strategy, 'visitor') {
  constructor(
    private readonly tokens: TokenService,
    private readonly verified: VerifiedCredentialsStore,
  ) {
    super({
      jwtFromRequest: tokenOf,
      secretOrKeyProvider: (_request, token, done) => done(null, tokens.keyOf(String(token)) as unknown as Buffer),
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: 'visitor',
      ignoreExpiration: true,
      passReqToCallback: true,
    });
  }

  validate({ token, states }: TokenRequest, claims: VisitorClaims): Promise<VisitorPrincipal> {
    this.verified.add(token, { kind: 'visitor', claims });
    return this.principalOf(claims, states);
  }

  /** @param claims of a verified token @throws TokenExpired, TokenRevoked, ContactBlocked */
  async principalOf(claims: VisitorClaims, states: PrincipalStates): Promise<VisitorPrincipal> {
    if (this.tokens.isExpired(claims)) throw new TokenExpired();
    const state = await states.findVisitorState(claims.ws, claims.sub, claims.ch);
    if (!state?.channelOpen || state.generation !== claims.gen) throw new TokenRevoked();
    const { verified, channelGeneration } = state;
    if (channelGeneration !== channelGenerationIn(claims)) throw new TokenRevoked();
    if (state.blocked) throw new ContactBlocked();
    return {
      kind: 'visitor',
      workspaceId: claims.ws,
      contactId: claims.sub,
      channelId: claims.ch,
      generation: claims.gen,
      verified,
      channelGeneration,
      expiresAt: new Date(claims.exp * 1000),
    };
  }
}
