import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { lowestRole } from '../../kernel/permission.js';
import type { Role } from '../../kernel/principal.js';
import { API_KEY_ROLE, lowerRole, rank, systemOf } from '../../kernel/principal.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ApiKeysService } from '../api-keys/index.js';
import { MembersService } from '../members/index.js';
import type { Invite } from './invite.js';
import { statusOf } from './invite.js';
import { InvitesRepository } from './invites.repository.js';

/** Why a known link is refused. Only for the log: the response is the same for all reasons. */
type InviteRefusal = 'invite_accepted' | 'invite_revoked' | 'invite_expired' | 'inviter_lost_right';

/** State of a link at this moment. */
export type InviteCheck =
  { invite: Invite; by: Role; refusal: null } | { invite: Invite | null; by: null; refusal: InviteRefusal | null };

@Injectable()
export class InviteChecksService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly invites: InvitesRepository,
    private readonly members: MembersService,
    private readonly apiKeys: ApiKeysService,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the invite of the token, and the role that its inviter may still grant. The inviter may have been
   * deactivated, demoted or limited to some channels, or the API key revoked or expired; then the invite is refused.
   * The inviter cannot change until the unit of work ends.
   */
  checkToken(token: string): Promise<InviteCheck> {
    return this.units.run(async () => {
      const invite = await this.invites.findByToken(sha256(token));
      if (!invite) return { invite: null, by: null, refusal: null };
      const status = statusOf(invite, this.clock.now());
      if (status !== 'pending') return { invite, by: null, refusal: `invite_${status}` as const };
      const by = await this.roleOfInviter(invite);
      if (by === null || rank(invite.role) > rank(by)) return { invite, by: null, refusal: 'inviter_lost_right' };
      return { invite, by, refusal: null };
    });
  }

  /** @returns null if the inviter may not invite any more */
  private async roleOfInviter({ workspaceId, invitedBy, apiKeyId, inviterRole }: Invite): Promise<Role | null> {
    if (apiKeyId !== null) return (await this.apiKeys.lockForShare(workspaceId, apiKeyId)) ? API_KEY_ROLE : null;
    const member = invitedBy && (await this.members.lockForShare(systemOf(workspaceId), invitedBy));
    if (!member || member.status !== 'active' || member.channelIds !== null) return null;
    const role = lowerRole(member.role, inviterRole ?? member.role);
    return rank(role) >= rank(lowestRole('invites:write')) ? role : null;
  }
}
