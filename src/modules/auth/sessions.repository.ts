import { Injectable } from '@nestjs/common';
import { BatchLoader, one } from '../../platform/database/batch-loader.js';
import type { Statement } from '../../platform/database/sql.service.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { PasswordResetEntity } from './password-reset.entity.js';
import type { PrincipalStates, SessionState, VisitorState } from './principal-states.js';
import { SESSION_STATE_COLUMNS, VISITOR_STATE_COLUMNS } from './principal-states.js';
import { SessionEntity } from './session.entity.js';
import type { Session } from './session.js';

const SESSION_STATE = statement(`
  SELECT ${SESSION_STATE_COLUMNS}
  FROM session JOIN member ON member.workspace_id = session.workspace_id AND member.id = session.member_id
  WHERE session.workspace_id = $1 AND session.id = $2`);
const SESSION_STATES = statement(`
  SELECT keys.ordinal::integer - 1 AS key_index, ${SESSION_STATE_COLUMNS}
  FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS keys (workspace_id, id, ordinal)
    JOIN session ON session.workspace_id = keys.workspace_id AND session.id = keys.id
    JOIN member ON member.workspace_id = session.workspace_id AND member.id = session.member_id`);
const VISITOR_STATE = statement(`
  SELECT ${VISITOR_STATE_COLUMNS}
  FROM contact JOIN channel ON channel.workspace_id = contact.workspace_id AND channel.id = $3
  WHERE contact.workspace_id = $1 AND contact.id = $2`);
const VISITOR_STATES = statement(`
  SELECT keys.ordinal::integer - 1 AS key_index, ${VISITOR_STATE_COLUMNS}
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS keys (workspace_id, id, channel_id, ordinal)
    JOIN contact ON contact.workspace_id = keys.workspace_id AND contact.id = keys.id
    JOIN channel ON channel.workspace_id = keys.workspace_id AND channel.id = keys.channel_id`);
/** Shared lock: nobody signs in while the member is being deactivated. */
const LOCK_MEMBER_STATUS = statement(`SELECT status FROM member WHERE workspace_id = $1 AND id = $2 FOR SHARE`);

/**
 * Ending sessions takes two statements. A session opened from another one is inserted under the lock of that one: the
 * first statement waits for the lock, and the second has a newer snapshot and ends the new session too.
 */
function endStatements(condition: string): { lock: Statement; end: Statement } {
  const live = `ended_at IS NULL AND expires_at > $1 AND ${condition}`;
  return {
    lock: statement(`SELECT 1 FROM session WHERE ${live} ORDER BY workspace_id, id FOR UPDATE`),
    end: statement(`
      UPDATE session SET ended_at = $1 WHERE ${live}
      RETURNING id, workspace_id AS "workspaceId", family_id AS "familyId", member_id AS "memberId"`),
  };
}
const END_FAMILY = endStatements('family_id = $2');
const END_BY_USER = endStatements('user_id = $2');
const END_FOR_PASSWORD_CHANGE = endStatements(
  'user_id = $2 AND family_id <> $3 AND (api_key_id IS NULL OR workspace_id = $4)',
);
const END_BY_MEMBER = endStatements('workspace_id = $2 AND member_id = $3');
const END_BY_API_KEY = endStatements('workspace_id = $2 AND api_key_id = $3');
/** One statement, so that of two concurrent uses one finds the link unspent. */
const SPEND_RESET = statement(`
  UPDATE password_reset SET spent_at = $2
  WHERE token_hash = $1 AND spent_at IS NULL AND expires_at > $2 RETURNING user_id AS "userId"`);
const USER_OF_OPEN_RESET = statement(`
  SELECT user_id AS "userId" FROM password_reset WHERE token_hash = $1 AND spent_at IS NULL AND expires_at > $2`);
const USER_OF_RESET = statement(`SELECT user_id AS "userId" FROM password_reset WHERE token_hash = $1`);
const SPEND_ALL_RESETS = statement(`UPDATE password_reset SET spent_at = $2 WHERE user_id = $1 AND spent_at IS NULL`);

export interface EndedSession {
  id: string;
  workspaceId: string;
  familyId: string;
  memberId: string;
}

@Injectable()
export class SessionsRepository implements PrincipalStates {
  private readonly sessionStates: BatchLoader<[workspaceId: string, sessionId: string], SessionState>;
  private readonly visitorStates: BatchLoader<
    [workspaceId: string, contactId: string, channelId: string],
    VisitorState
  >;

  constructor(
    private readonly units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    this.sessionStates = new BatchLoader(one(sql, SESSION_STATE, SESSION_STATES));
    this.visitorStates = new BatchLoader(one(sql, VISITOR_STATE, VISITOR_STATES));
  }

  findSessionState(workspaceId: string, sessionId: string): Promise<SessionState | undefined> {
    return this.sessionStates.load(workspaceId, sessionId);
  }

  findVisitorState(workspaceId: string, contactId: string, channelId: string): Promise<VisitorState | undefined> {
    return this.visitorStates.load(workspaceId, contactId, channelId);
  }

  async insert(session: Session): Promise<void> {
    await this.rows.insert(session);
  }

  /** Locks the session until the unit of work ends. */
  lock(workspaceId: string, id: string): Promise<Session | null> {
    return this.rows.findOne({ where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async saveRotation(session: Session): Promise<void> {
    const { workspaceId, id, rotation, refreshHash, rotatedAt } = session;
    await this.rows.update({ workspaceId, id }, { rotation, refreshHash, rotatedAt });
  }

  /** Checks that the member is active, and keeps it so until the unit of work ends. */
  async lockActiveMember({ workspaceId, id }: { workspaceId: string; id: string }): Promise<boolean> {
    return (await this.sql.first<{ status: string }>(LOCK_MEMBER_STATUS, [workspaceId, id]))?.status === 'active';
  }

  /** @returns the sessions that ended now, like the other `end…` methods */
  endFamily(familyId: string, at: Date): Promise<EndedSession[]> {
    return this.end(END_FAMILY, [at, familyId]);
  }

  endByUser(userId: string, at: Date): Promise<EndedSession[]> {
    return this.end(END_BY_USER, [at, userId]);
  }

  /** Ends the user's sessions except one family, and except those opened by API keys of other workspaces. */
  endForPasswordChange(userId: string, exceptFamily: string, workspaceId: string, at: Date): Promise<EndedSession[]> {
    return this.end(END_FOR_PASSWORD_CHANGE, [at, userId, exceptFamily, workspaceId]);
  }

  endByMember(workspaceId: string, memberId: string, at: Date): Promise<EndedSession[]> {
    return this.end(END_BY_MEMBER, [at, workspaceId, memberId]);
  }

  endByApiKey(workspaceId: string, apiKeyId: string, at: Date): Promise<EndedSession[]> {
    return this.end(END_BY_API_KEY, [at, workspaceId, apiKeyId]);
  }

  private async end(statements: { lock: Statement; end: Statement }, values: unknown[]): Promise<EndedSession[]> {
    await this.sql.rows(statements.lock, values);
    return this.sql.rows<EndedSession>(statements.end, values);
  }

  async insertReset(reset: Omit<PasswordResetEntity, 'createdAt'>): Promise<void> {
    await this.units.manager.getRepository(PasswordResetEntity).insert(reset);
  }

  /** @returns the user's id, or undefined if the link was not valid */
  async spendReset(tokenHash: string, at: Date): Promise<string | undefined> {
    return (await this.sql.first<{ userId: string }>(SPEND_RESET, [tokenHash, at]))?.userId;
  }

  /** Finds the user of a link that is still valid. */
  async findUserOfOpenReset(tokenHash: string, at: Date): Promise<string | undefined> {
    return (await this.sql.first<{ userId: string }>(USER_OF_OPEN_RESET, [tokenHash, at]))?.userId;
  }

  /** Finds the user of a link, used or not. */
  async findUserOfReset(tokenHash: string): Promise<string | undefined> {
    return (await this.sql.first<{ userId: string }>(USER_OF_RESET, [tokenHash]))?.userId;
  }

  async spendAllResets(userId: string, at: Date): Promise<void> {
    await this.sql.count(SPEND_ALL_RESETS, [userId, at]);
  }

  private get rows() {
    return this.units.manager.getRepository(SessionEntity);
  }
}
