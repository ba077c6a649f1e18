import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { InvalidToken, TokenExpired, TokenRevoked } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { ApiKeyTeardownHooks } from '../api-keys/index.js';
import type { Member } from '../members/index.js';
import { MemberTeardownHooks } from '../members/index.js';
import { AuthLogService } from './auth-log.service.js';
import { MemberDeactivated } from './auth.errors.js';
import type { SessionEnded, SignInMethod } from './auth.events.js';
import type { Session } from './session.js';
import { REFRESH_SECONDS, CONCURRENT_REFRESH_MS } from './session.js';
import type { EndedSession } from './sessions.repository.js';
import { SessionsRepository } from './sessions.repository.js';
import type { RefreshClaims } from './token.service.js';
import { TokenService } from './token.service.js';

/** A session with its tokens in plain text. */
export interface OpenSession {
  session: Session;
  token: string;
  refreshToken: string;
}

/** How to open a session. */
export interface SessionOpening {
  method: SignInMethod;
  /** True makes refresh tokens rotate. Defaults to the parent session's setting, else false. */
  rotate?: boolean | undefined;
  /** Channels that it is limited to; null or absent for all that the member sees. */
  channelIds?: string[] | null;
  /** The API key that opens it. The session never leaves that key's workspace. */
  apiKeyId?: string;
  /** The parent session. The new one has the same family, expiry and workspace bound. */
  from?: { workspaceId: string; sessionId: string };
}

@Injectable()
export class SessionsService implements OnModuleInit {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly sessions: SessionsRepository,
    private readonly tokens: TokenService,
    private readonly limiter: RateLimitService,
    private readonly log: AuthLogService,
    private readonly clock: Clock,
    private readonly memberTeardownHooks: MemberTeardownHooks,
    private readonly apiKeyTeardownHooks: ApiKeyTeardownHooks,
  ) {}

  onModuleInit(): void {
    this.memberTeardownHooks.add(async ({ workspaceId, id }, by) => {
      const ended = await this.sessions.endByMember(workspaceId, id, this.clock.now());
      await this.recordEnded(ended, 'member_deactivated', actorOf(by));
    });
    this.apiKeyTeardownHooks.add(async ({ workspaceId, id }, by) => {
      const ended = await this.sessions.endByApiKey(workspaceId, id, this.clock.now());
      await this.recordEnded(ended, 'api_key_revoked', actorOf(by));
    });
  }

  /**
   * Opens a session of the member. With a parent it joins the parent's family and ends with it.
   * @throws MemberDeactivated @throws TokenRevoked if the parent session has ended
   */
  async open(member: Member, opening: SessionOpening): Promise<OpenSession> {
    return this.units.run(async () => {
      if (!(await this.sessions.lockActiveMember(member))) throw new MemberDeactivated();
      const parent = opening.from ? await this.lockLive(opening.from) : null;
      const session = this.draft(member, opening, parent);
      const refreshToken = this.tokens.signRefresh(session);
      session.refreshHash = sha256(refreshToken);
      await this.sessions.insert(session);
      await this.events.record({
        type: 'session.started',
        workspaceId: session.workspaceId,
        actor: opening.apiKeyId ? { type: 'api_key', id: opening.apiKeyId } : { type: 'member', id: member.id },
        payload: {
          session_id: session.id,
          family_id: session.familyId,
          member_id: member.id,
          method: opening.method,
          channel_ids: session.channelIds,
          api_key_id: session.apiKeyId,
        },
      });
      return { session, token: this.tokens.signAccess(session), refreshToken };
    });
  }

  private draft(member: Member, opening: SessionOpening, parent: Session | null): Session {
    const now = this.clock.now();
    const id = newId();
    const apiKeyId = opening.apiKeyId ?? parent?.apiKeyId ?? null;
    return {
      id,
      workspaceId: member.workspaceId,
      familyId: parent?.familyId ?? id,
      memberId: member.id,
      userId: member.userId,
      channelIds: opening.channelIds ?? null,
      workspaceBound: apiKeyId !== null,
      apiKeyId,
      rotate: opening.rotate ?? parent?.rotate ?? false,
      rotation: 0,
      refreshHash: '',
      rotatedAt: null,
      endedAt: null,
      expiresAt: parent?.expiresAt ?? new Date(now.getTime() + REFRESH_SECONDS * 1000),
      createdAt: now,
    };
  }

  /**
   * Locks the session, so that ending its family and opening a session from it wait for each other.
   * @throws TokenRevoked
   */
  private async lockLive({ workspaceId, sessionId }: NonNullable<SessionOpening['from']>): Promise<Session> {
    const session = await this.sessions.lock(workspaceId, sessionId);
    if (!session || session.endedAt || session.expiresAt <= this.clock.now()) throw new TokenRevoked();
    return session;
  }

  /**
   * Issues a new access token. A rotating session also gets a new refresh token; reuse of an old one ends the family,
   * because two parties then have it.
   * @throws InvalidToken, TokenExpired, TokenRevoked, RateLimited
   */
  async refresh(refreshToken: string): Promise<OpenSession> {
    const claims = this.tokens.verify<RefreshClaims>(refreshToken, 'refresh');
    await this.limiter.consume('refresh', claims.sid);
    if (this.tokens.isExpired(claims)) {
      this.recordRefusal(claims, 'token_expired');
      throw new TokenExpired();
    }
    const outcome = await this.units.run(async () => {
      const session = await this.sessions.lock(claims.ws, claims.sid);
      if (!session) throw new InvalidToken();
      if (session.endedAt) return null;
      if (sha256(refreshToken) === session.refreshHash) return this.refreshSession(session, refreshToken);
      if (this.isConcurrentRefresh(session, claims)) return this.repeatRefresh(session, refreshToken);
      await this.recordEnded(await this.sessions.endFamily(session.familyId, this.clock.now()), 'refresh_reused');
      return null;
    });
    if (outcome) return outcome;
    this.recordRefusal(claims, 'token_revoked');
    throw new TokenRevoked();
  }

  /** Ends the family of the refresh token. @throws InvalidToken */
  async logout(refreshToken: string): Promise<void> {
    const claims = this.tokens.verify<RefreshClaims>(refreshToken, 'refresh');
    await this.units.run(async () => {
      const session = await this.sessions.lock(claims.ws, claims.sid);
      if (!session) throw new InvalidToken();
      await this.recordEnded(await this.sessions.endFamily(session.familyId, this.clock.now()), 'logout');
    });
  }

  /** Ends all sessions of the user, in all workspaces. Joins the caller's unit of work. */
  async endAll(userId: string, reason: SessionEnded['reason']): Promise<void> {
    await this.units.run(async () => {
      await this.recordEnded(await this.sessions.endByUser(userId, this.clock.now()), reason);
    });
  }

  /**
   * Ends the user's other sessions after a password change: those opened with a password in every workspace, and those
   * opened by API keys of this workspace.
   * Sessions opened by keys of other workspaces stay: somebody else may have set the password, and must not end them.
   * Joins the caller's unit of work.
   */
  async endOthers({ userId, familyId, workspaceId }: AgentPrincipal): Promise<void> {
    await this.units.run(async () => {
      const ended = await this.sessions.endForPasswordChange(userId, familyId, workspaceId, this.clock.now());
      await this.recordEnded(ended, 'password_changed');
    });
  }

  /** Records the use of an ended session's token, by an open page or a thief. */
  private recordRefusal({ ws, sub }: RefreshClaims, reason: string): void {
    this.log.recordRefusal(ws, { method: 'refresh', member_id: sub, reason });
  }

  private async refreshSession(session: Session, refreshToken: string): Promise<OpenSession> {
    if (!session.rotate) return { session, token: this.tokens.signAccess(session), refreshToken };
    const rotated = { ...session, rotation: session.rotation + 1, rotatedAt: this.clock.now() };
    const next = this.tokens.signRefresh(rotated);
    await this.sessions.saveRotation({ ...rotated, refreshHash: sha256(next) });
    return { session: rotated, token: this.tokens.signAccess(rotated), refreshToken: next };
  }

  private isConcurrentRefresh(session: Session, claims: RefreshClaims): boolean {
    const since = session.rotatedAt ? this.clock.now().getTime() - session.rotatedAt.getTime() : Infinity;
    return session.rotate && claims.rot === session.rotation - 1 && since <= CONCURRENT_REFRESH_MS;
  }

  private async repeatRefresh(session: Session, refreshToken: string): Promise<OpenSession> {
    const existing = this.tokens.resignRefresh(session);
    if (existing === undefined) return this.refreshSession(session, refreshToken);
    return { session, token: this.tokens.signAccess(session), refreshToken: existing };
  }

  /** @param by the actor; defaults to each session's member */
  private async recordEnded(ended: EndedSession[], reason: SessionEnded['reason'], by?: Actor): Promise<void> {
    for (const { id, workspaceId, familyId, memberId } of ended) {
      await this.events.record({
        type: 'session.ended',
        workspaceId,
        actor: by ?? { type: 'member', id: memberId },
        payload: { session_id: id, family_id: familyId, member_id: memberId, reason },
      });
    }
  }
}
