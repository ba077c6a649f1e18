import { createSecretKey, KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { InvalidToken } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { sha256 } from '../../kernel/secret.js';
import type { Session } from './session.js';
import { ACCESS_SECONDS } from './session.js';

export const ISSUER = 'support-chat';
export const VISITOR_SECONDS = 24 * 3600;
export type TokenAudience = 'agent' | 'refresh' | 'visitor';

export interface AgentClaims {
  sub: string;
  ws: string;
  sid: string;
  exp: number;
}

export interface RefreshClaims extends AgentClaims {
  rot: number;
}

export interface VisitorClaims {
  sub: string;
  ws: string;
  ch: string;
  gen: number;
  /** The channel's generation. Older tokens lack it and count as generation 1. */
  cgen?: number;
  exp: number;
}

export function channelGenerationIn(claims: Pick<VisitorClaims, 'cgen'>): number {
  return claims.cgen ?? 1;
}

interface SigningKey {
  id: string;
  key: KeyObject;
}

/**
 * Signs and verifies tokens. Each secret becomes a `KeyObject` once, because creating one per verification costs fifty
 * times the verification.
 * `kid` names the secret that signed, so that secrets rotate without ending sessions.
 */
@Injectable()
export class TokenService {
  private readonly keys: ReadonlyMap<string, KeyObject>;
  private readonly newest: SigningKey;

  constructor(
    private readonly jwt: JwtService,
    private readonly clock: Clock,
    config: Config,
  ) {
    const keys = config.jwtSecrets.map(({ id, secret }) => ({ id, key: createSecretKey(Buffer.from(secret, 'utf8')) }));
    const [newest] = keys;
    if (!newest) throw new Error('no secret to sign tokens is configured');
    this.newest = newest;
    this.keys = new Map(keys.map(({ id, key }) => [id, key]));
  }

  /** Key that the token's `kid` names; undefined if unknown. */
  keyOf(token: string): KeyObject | undefined {
    const header = decodeSegment(token, 0);
    return typeof header?.kid === 'string' ? this.keys.get(header.kid) : undefined;
  }

  /** Audience that the token claims. Not verified. */
  audienceOf(token: string): string | undefined {
    const audience = decodeSegment(token, 1)?.aud;
    return typeof audience === 'string' ? audience : undefined;
  }

  signAccess(session: Session): string {
    const expires = Math.min(this.nowSeconds() + ACCESS_SECONDS, Math.floor(session.expiresAt.getTime() / 1000));
    return this.sign('agent', { sub: session.memberId, ws: session.workspaceId, sid: session.id, exp: expires });
  }

  /** Signs the refresh token of the session's current rotation. */
  signRefresh(session: Session): string {
    return this.signRefreshWith(this.newest, session);
  }

  /**
   * Signs the current refresh token again, although only its hash is stored: the same session and secret give the same
   * text. Concurrent refreshes therefore get the same token.
   * Tries all secrets, because during a rotation of secrets another instance may have signed with another one.
   * @returns undefined if no known secret signed it
   */
  resignRefresh(session: Session): string | undefined {
    for (const [id, key] of this.keys) {
      const token = this.signRefreshWith({ id, key }, session);
      if (sha256(token) === session.refreshHash) return token;
    }
    return undefined;
  }

  private signRefreshWith(key: SigningKey, session: Session): string {
    const toSeconds = (date: Date) => Math.floor(date.getTime() / 1000);
    const { id: sid, memberId: sub, workspaceId: ws, rotation: rot } = session;
    const claims = { sub, ws, sid, rot, iat: toSeconds(session.createdAt), exp: toSeconds(session.expiresAt) };
    return this.sign('refresh', { ...claims, jti: `${sid}.${rot}` }, key);
  }

  signVisitor(claims: Omit<VisitorClaims, 'exp'>): string {
    return this.sign('visitor', { ...claims, exp: this.nowSeconds() + VISITOR_SECONDS });
  }

  /** Verifies signature, algorithm, issuer and audience, but not expiry. @throws InvalidToken */
  verify<Claims extends object>(token: string, audience: TokenAudience): Claims {
    const key = this.keyOf(token);
    if (!key) throw new InvalidToken();
    try {
      return this.jwt.verify<Claims>(token, {
        // @nestjs/jwt types this as text or bytes and passes it on unchanged
        secret: key as unknown as Buffer,
        algorithms: ['HS256'],
        audience,
        issuer: ISSUER,
        ignoreExpiration: true,
      });
    } catch (error) {
      throw new InvalidToken({ cause: error });
    }
  }

  isExpired(claims: { exp: number }): boolean {
    return claims.exp * 1000 <= this.clock.now().getTime();
  }

  private sign(audience: TokenAudience, claims: Record<string, unknown>, { id, key } = this.newest): string {
    return this.jwt.sign(
      { iss: ISSUER, aud: audience, jti: newId(), iat: this.nowSeconds(), ...claims },
      { secret: key as unknown as Buffer, algorithm: 'HS256', keyid: id },
    );
  }

  private nowSeconds(): number {
    return Math.floor(this.clock.now().getTime() / 1000);
  }
}

function decodeSegment(token: string, index: number): Record<string, unknown> | undefined {
  try {
    const segment: unknown = JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString('utf8'));
    return typeof segment === 'object' && segment !== null ? (segment as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
