import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { narrow } from '../../kernel/channel-scope.js';
import { DomainError } from '../../kernel/domain-error.js';
import { InvalidToken, NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, ApiKeyPrincipal } from '../../kernel/principal.js';
import { systemOf } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ApiKeysService } from '../api-keys/index.js';
import type { SignIn } from '../auth/index.js';
import { MemberDeactivated, SignInService } from '../auth/index.js';
import { ChannelsService } from '../channels/index.js';
import type { Member } from '../members/index.js';
import { MembersService } from '../members/index.js';
import { MemberNotFound, WorkspaceBound } from './sso.errors.js';
import type { SsoRequest } from './sso.service.js';

export interface AgentTokenRequest {
  workspace_id?: string | undefined;
  channel_ids?: string[] | undefined;
}

/** Opens sessions without a password: with an API key for any member of its workspace, or from an agent's session. */
@Injectable()
export class AgentTokensService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly apiKeys: ApiKeysService,
    private readonly members: MembersService,
    private readonly channels: ChannelsService,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Opens a session of the member, bound to the key's workspace. Locks the key, so that a concurrent revocation finds
   * the session.
   * @throws MemberNotFound, InvalidToken @throws ValidationFailed for unknown channels
   */
  async openForMember(principal: ApiKeyPrincipal, { email, channel_ids }: SsoRequest): Promise<SignIn> {
    const { workspaceId, apiKeyId } = principal;
    const channelIds = channel_ids ?? null;
    try {
      return await this.units.run(async () => {
        if (!(await this.apiKeys.lockForShare(workspaceId, apiKeyId))) throw new InvalidToken();
        await this.channels.assertExisting(workspaceId, channelIds);
        const member = await this.members.findByEmail(workspaceId, email);
        if (!member) throw new MemberNotFound();
        return this.signIns.open(member, { method: 'agent_token', channelIds, apiKeyId });
      });
    } catch (error) {
      if (!(error instanceof MemberDeactivated)) throw error;
      const member = await this.members.findByEmail(workspaceId, email);
      this.recordRefusal(principal, member?.id ?? null, error);
      // a backend gets the same error for an inactive member as for an unknown one
      throw new MemberNotFound({ cause: error });
    }
  }

  /**
   * Opens a session in the caller's family, in another workspace of the user or with fewer channels. It ends with the
   * caller's session.
   * @throws WorkspaceBound, NotFound, MemberDeactivated, TokenRevoked @throws ValidationFailed for unknown channels
   */
  async openFromSession(principal: AgentPrincipal, request: AgentTokenRequest): Promise<SignIn> {
    try {
      return await this.deriveSession(principal, request);
    } catch (error) {
      if (error instanceof DomainError && error.kind !== 'invalid')
        this.recordRefusal(principal, principal.memberId, error);
      throw error;
    }
  }

  private async deriveSession(principal: AgentPrincipal, request: AgentTokenRequest): Promise<SignIn> {
    const { workspaceId: present, sessionId, sessionScope } = principal;
    const workspaceId = request.workspace_id ?? present;
    const requested = request.channel_ids ?? null;
    if (workspaceId !== present && !mayLeaveWorkspace(principal)) throw new WorkspaceBound();
    return this.units.run(async () => {
      const member = await this.findMember(principal, workspaceId);
      await this.channels.assertExisting(workspaceId, requested);
      const scope = narrow(sessionScope, requested);
      const channelIds = scope && [...scope];
      const from = { workspaceId: present, sessionId };
      return this.signIns.open(member, { method: 'agent_token', channelIds, from });
    });
  }

  /** Records the refusal in the caller's workspace, not in the requested one. */
  private recordRefusal(
    principal: AgentPrincipal | ApiKeyPrincipal,
    memberId: string | null,
    { code }: DomainError,
  ): void {
    const refusal = { method: 'agent_token', member_id: memberId, reason: code } as const;
    this.signIns.recordRefusal(principal.workspaceId, refusal, actorOf(principal));
  }

  private async findMember(principal: AgentPrincipal, workspaceId: string): Promise<Member> {
    if (workspaceId === principal.workspaceId) return this.members.get(principal, principal.memberId);
    const memberships = await this.members.findMemberships(principal.userId);
    const match = memberships.find(membership => membership.workspaceId === workspaceId);
    // a password session cannot enter a membership that only single sign-on opens
    if (!match?.claimed) throw new NotFound();
    if (match.status !== 'active') throw new MemberDeactivated();
    return this.members.get(systemOf(workspaceId), match.memberId);
  }
}

/** A session opened by a key or limited to some channels would lose its limits in another workspace. */
function mayLeaveWorkspace({ workspaceBound, sessionScope }: AgentPrincipal): boolean {
  return !workspaceBound && sessionScope === null;
}
