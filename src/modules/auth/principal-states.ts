import type { Role } from '../../kernel/principal.js';

export interface SessionState {
  sessionId: string;
  familyId: string;
  sessionChannels: string[] | null;
  workspaceBound: boolean;
  endedAt: Date | null;
  expiresAt: Date;
  memberId: string;
  userId: string;
  role: Role;
  status: 'active' | 'deactivated';
  name: string;
  avatarUrl: string | null;
  memberChannels: string[] | null;
}

export interface VisitorState {
  blocked: boolean;
  verified: boolean;
  generation: number;
  channelGeneration: number;
  channelOpen: boolean;
}

/** Reads what decides whether a token is valid and what its caller may do. */
export interface PrincipalStates {
  findSessionState(workspaceId: string, sessionId: string): Promise<SessionState | undefined>;
  findVisitorState(workspaceId: string, contactId: string, channelId: string): Promise<VisitorState | undefined>;
}

/** The columns of a `SessionState`, from `session` and `member`. */
export const SESSION_STATE_COLUMNS = `
  session.id AS "sessionId", session.family_id AS "familyId", session.channel_ids AS "sessionChannels",
  session.workspace_bound AS "workspaceBound", session.ended_at AS "endedAt", session.expires_at AS "expiresAt",
  member.id AS "memberId", member.user_id AS "userId", member.role, member.status, member.name,
  member.avatar_url AS "avatarUrl", member.channel_ids AS "memberChannels"`;
/** The columns of a `VisitorState`, from `contact` and `channel`. */
export const VISITOR_STATE_COLUMNS = `
  contact.blocked, contact.verified, contact.token_generation AS "generation",
  CASE WHEN contact.verified THEN channel.verified_generation ELSE channel.unverified_generation END AS "channelGeneration",
  channel.status = 'active' AND channel.deleted_at IS NULL AS "channelOpen"`;
