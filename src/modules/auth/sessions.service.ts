import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { InvalidToken, TokenExpired, TokenRevoked } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLog } from '../../platform/events/event-log.js';
import { RateLimiter } from '../../platform/limits/rate-limiter.js';
import type { Member } from '../members/index.js';
import type { SessionEnded, SessionStarted } from './auth.events.js';
import type { Session } from './session.js';
import { REFRESH_SECONDS, TWIN_MS } from './session.js';
import type { EndedSession } from './sessions.repository.js';
import { SessionsRepository } from './sessions.repository.js';
import type { RefreshClaims } from './token.service.js';
import { TokenService } from './token.service.js';

/** A session with the tokens that open it. */
export interface OpenSession {
  session: Session;
  token: string;
  refreshToken: string;
}

@Injectable()
export class SessionsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLog,
    private readonly sessions: SessionsRepository,
    private readonly tokens: TokenService,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  /** A sign-in of the member. */
  async open(member: Member, method: SessionStarted['method'], rotate: boolean): Promise<OpenSession> {
    const now = this.clock.now();
    const id = newId();
    const session: Session = {
      id,
      workspaceId: member.workspaceId,
      familyId: id,
      memberId: member.id,
      userId: member.userId,
      channelIds: null,
      workspaceBound: false,
      rotate,
      rotation: 0,
      refreshHash: '',
      rotatedAt: null,
      endedAt: null,
      expiresAt: new Date(now.getTime() + REFRESH_SECONDS * 1000),
      createdAt: now,
    };
    const refreshToken = this.tokens.refresh(session);
    session.refreshHash = sha256(refreshToken);
    return this.units.run(async () => {
      await this.sessions.insert(session);
      await this.events.record({
        type: 'session.started',
        workspaceId: session.workspaceId,
        actor: { type: 'member', id: member.id },
        payload: { session_id: id, family_id: id, member_id: member.id, method },
      });
      return { session, token: this.tokens.access(session), refreshToken };
    });
  }

  /**
   * A new access token. A session that does not rotate keeps its refresh token; one that does gets a new one, and a
   * token that had already been exchanged ends the family, for then two hold what one should.
   * @throws InvalidToken, TokenExpired, TokenRevoked, RateLimited
   */
  async refresh(refreshToken: string): Promise<OpenSession> {
    const claims = this.tokens.verify<RefreshClaims>(refreshToken, 'refresh');
    if (this.tokens.ended(claims)) throw new TokenExpired();
    await this.limiter.consume('refresh', claims.sid);
    const outcome = await this.units.run(async () => {
      const session = await this.sessions.lock(claims.ws, claims.sid);
      if (!session) throw new InvalidToken();
      if (session.endedAt) throw new TokenRevoked();
      if (sha256(refreshToken) === session.refreshHash) return this.advance(session, refreshToken);
      if (this.isTwin(session, claims)) return this.reopen(session);
      await this.end(await this.sessions.endFamily(session.familyId, this.clock.now()), 'refresh_reused');
      return null;
    });
    if (!outcome) throw new TokenRevoked();
    return outcome;
  }

  /** Ends the family that the refresh token belongs to; a token that is worth nothing has nothing to end. */
  async logout(refreshToken: string): Promise<void> {
    const claims = this.tokens.verify<RefreshClaims>(refreshToken, 'refresh');
    await this.units.run(async () => {
      const session = await this.sessions.lock(claims.ws, claims.sid);
      if (!session) throw new InvalidToken();
      await this.end(await this.sessions.endFamily(session.familyId, this.clock.now()), 'logout');
    });
  }

  /** Ends the user's sessions everywhere, all or all but one family. Part of the caller's unit of work. */
  async endAllOf(userId: string, reason: SessionEnded['reason'], exceptFamily: string | null): Promise<void> {
    await this.units.run(async () => {
      await this.end(await this.sessions.endAllOf(userId, this.clock.now(), exceptFamily), reason);
    });
  }

  private async advance(session: Session, refreshToken: string): Promise<OpenSession> {
    if (!session.rotate) return { session, token: this.tokens.access(session), refreshToken };
    const rotated = { ...session, rotation: session.rotation + 1, rotatedAt: this.clock.now() };
    const next = this.tokens.refresh(rotated);
    await this.sessions.rotated({ ...rotated, refreshHash: sha256(next) });
    return { session: rotated, token: this.tokens.access(rotated), refreshToken: next };
  }

  private isTwin(session: Session, claims: RefreshClaims): boolean {
    const since = session.rotatedAt ? this.clock.now().getTime() - session.rotatedAt.getTime() : Infinity;
    return session.rotate && claims.rot === session.rotation - 1 && since <= TWIN_MS;
  }

  private reopen(session: Session): OpenSession {
    return { session, token: this.tokens.access(session), refreshToken: this.tokens.refresh(session) };
  }

  private async end(ended: EndedSession[], reason: SessionEnded['reason']): Promise<void> {
    for (const { workspaceId, familyId, memberId } of ended) {
      await this.events.record({
        type: 'session.ended',
        workspaceId,
        actor: { type: 'member', id: memberId },
        payload: { family_id: familyId, member_id: memberId, reason },
      });
    }
  }
}
