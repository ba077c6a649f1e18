import { Injectable } from '@nestjs/common';
import type { Role } from '../../kernel/principal.js';
import { Sql, statement } from '../../platform/database/sql.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { PasswordResetEntity } from './password-reset.entity.js';
import { SessionEntity } from './session.entity.js';
import type { Session } from './session.js';

/** Everything that decides what an access token is worth at this moment, in one read. */
const STANDING = statement(`
  SELECT session.id AS "sessionId", session.family_id AS "familyId", session.channel_ids AS "sessionChannels",
         session.ended_at AS "endedAt", session.expires_at AS "expiresAt", member.id AS "memberId",
         member.user_id AS "userId", member.role, member.status, member.name, member.channel_ids AS "memberChannels"
  FROM session
  JOIN member ON member.workspace_id = session.workspace_id AND member.id = session.member_id
  WHERE session.workspace_id = $1 AND session.id = $2`);
const VISITOR_STANDING = statement(`
  SELECT contact.blocked, contact.token_generation AS "generation",
         channel.status = 'active' AND channel.deleted_at IS NULL AS "channelOpen"
  FROM contact JOIN channel ON channel.workspace_id = contact.workspace_id AND channel.id = $3
  WHERE contact.workspace_id = $1 AND contact.id = $2`);
const END = `ended_at = $2 WHERE ended_at IS NULL AND expires_at > $2`;
const ENDED = `RETURNING workspace_id AS "workspaceId", family_id AS "familyId", member_id AS "memberId"`;
const END_FAMILY = statement(`UPDATE session SET ${END} AND family_id = $1 ${ENDED}`);
const END_OF_USER = statement(`UPDATE session SET ${END} AND user_id = $1 AND family_id IS DISTINCT FROM $3 ${ENDED}`);
/** One statement spends it: of two who come with one link, one finds it unspent. */
const SPEND_RESET = statement(`
  UPDATE password_reset SET spent_at = $2
  WHERE token_hash = $1 AND spent_at IS NULL AND expires_at > $2 RETURNING user_id AS "userId"`);
const SPEND_ALL_RESETS = statement(`UPDATE password_reset SET spent_at = $2 WHERE user_id = $1 AND spent_at IS NULL`);

export interface Standing {
  sessionId: string;
  familyId: string;
  sessionChannels: string[] | null;
  endedAt: Date | null;
  expiresAt: Date;
  memberId: string;
  userId: string;
  role: Role;
  status: 'active' | 'deactivated';
  name: string;
  memberChannels: string[] | null;
}

export interface VisitorStanding {
  blocked: boolean;
  generation: number;
  channelOpen: boolean;
}

export interface EndedSession {
  workspaceId: string;
  familyId: string;
  memberId: string;
}

@Injectable()
export class SessionsRepository {
  constructor(
    private readonly units: UnitOfWork,
    private readonly sql: Sql,
  ) {}

  standing(workspaceId: string, sessionId: string): Promise<Standing | undefined> {
    return this.sql.first<Standing>(STANDING, [workspaceId, sessionId]);
  }

  visitorStanding(workspaceId: string, contactId: string, channelId: string): Promise<VisitorStanding | undefined> {
    return this.sql.first<VisitorStanding>(VISITOR_STANDING, [workspaceId, contactId, channelId]);
  }

  async insert(session: Session): Promise<void> {
    await this.rows.insert(session);
  }

  /** The session, locked until the unit of work ends. */
  lock(workspaceId: string, id: string): Promise<Session | null> {
    return this.rows.findOne({ where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async rotated(session: Session): Promise<void> {
    const { workspaceId, id, rotation, refreshHash, rotatedAt } = session;
    await this.rows.update({ workspaceId, id }, { rotation, refreshHash, rotatedAt });
  }

  /** @returns the sessions that lived until now */
  endFamily(familyId: string, at: Date): Promise<EndedSession[]> {
    return this.sql.rows<EndedSession>(END_FAMILY, [familyId, at]);
  }

  endAllOf(userId: string, at: Date, exceptFamily: string | null): Promise<EndedSession[]> {
    return this.sql.rows<EndedSession>(END_OF_USER, [userId, at, exceptFamily]);
  }

  async insertReset(reset: Omit<PasswordResetEntity, 'createdAt'>): Promise<void> {
    await this.units.manager.getRepository(PasswordResetEntity).insert(reset);
  }

  /** @returns whose it was, when it could still be spent */
  async spendReset(tokenHash: string, at: Date): Promise<string | undefined> {
    return (await this.sql.first<{ userId: string }>(SPEND_RESET, [tokenHash, at]))?.userId;
  }

  async spendAllResets(userId: string, at: Date): Promise<void> {
    await this.sql.count(SPEND_ALL_RESETS, [userId, at]);
  }

  private get rows() {
    return this.units.manager.getRepository(SessionEntity);
  }
}
