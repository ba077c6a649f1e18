import type { ScopeRecord } from '../../kernel/channel-scope.js';
import { narrow, toScopeRecord } from '../../kernel/channel-scope.js';
import type { Member, MemberRecord } from '../members/index.js';
import { toMemberRecord } from '../members/index.js';
import type { Workspace, WorkspaceRecord } from '../workspaces/index.js';
import { toWorkspaceRecord } from '../workspaces/index.js';
import { ACCESS_SECONDS } from './session.js';
import type { OpenSession } from './sessions.service.js';

/** Result of a sign-in. */
export interface SignIn {
  open: OpenSession;
  member: Member;
  workspace: Workspace;
}

/** Response of every sign-in; `AgentSessionView` in the API reference. */
export interface AgentSessionRecord {
  token: string;
  refresh_token: string;
  token_type: 'Bearer';
  expires_in: number;
  member: MemberRecord;
  workspace: WorkspaceRecord;
  scope: ScopeRecord;
}

export function toAgentSessionRecord({ open, member, workspace }: SignIn): AgentSessionRecord {
  return {
    token: open.token,
    refresh_token: open.refreshToken,
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    member: toMemberRecord(member),
    workspace: toWorkspaceRecord(workspace),
    scope: toScopeRecord(narrow(member.channelIds, open.session.channelIds)),
  };
}
