import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { NotFound } from '../../kernel/errors.js';
import type { Role, StaffPrincipal } from '../../kernel/principal.js';
import { actingRole, rank } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ChannelsService } from '../channels/index.js';
import { MemberChangesService } from './member-changes.service.js';
import { MemberTeardownHooks, MemberScopeHooks } from './member-teardown-hooks.js';
import type { Member } from './member.js';
import { LastOwner, RoleTooHigh } from './members.errors.js';
import { MembersRepository } from './members.repository.js';

export interface MemberEdits {
  name?: string | undefined;
  role?: Role | undefined;
  channel_ids?: string[] | null | undefined;
  capacity?: number | undefined;
}

/** Changes that admins make to members: profile, role, channels and status. */
@Injectable()
export class MemberAdministrationService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly members: MembersRepository,
    private readonly changes: MemberChangesService,
    private readonly channels: ChannelsService,
    private readonly teardownHooks: MemberTeardownHooks,
    private readonly scopeHooks: MemberScopeHooks,
  ) {}

  /** @throws NotFound, RoleTooHigh, LastOwner @throws ValidationFailed for an unknown channel */
  update(principal: StaffPrincipal, id: string, edits: MemberEdits): Promise<Member> {
    return this.changeLocked(principal, id, async member => {
      const { name, role, capacity, channel_ids: channelIds } = edits;
      if (role !== undefined && rank(role) > rank(actingRole(principal))) throw new RoleTooHigh();
      const scopeChanged = channelIds !== undefined && JSON.stringify(channelIds) !== JSON.stringify(member.channelIds);
      // an unchanged list may contain channels that were deleted since, so it is not checked
      if (scopeChanged) await this.channels.assertExisting(principal.workspaceId, channelIds);
      const fields = { name, role, capacity, channelIds };
      const changes = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      await this.changes.apply(member, changes, actorOf(principal));
      if (scopeChanged) await this.scopeHooks.run(member, principal);
    });
  }

  /**
   * Deactivates the member and runs the teardown hooks. Does nothing if the member is deactivated.
   * @throws as `update`
   */
  deactivate(principal: StaffPrincipal, id: string): Promise<Member> {
    return this.changeLocked(principal, id, async member => {
      const ended = await this.changes.apply(member, { status: 'deactivated' }, actorOf(principal));
      if (ended) await this.teardownHooks.run(member, principal);
    });
  }

  /** Lets the member sign in again. Sessions and assignments that ended stay ended. @throws NotFound, RoleTooHigh */
  reactivate(principal: StaffPrincipal, id: string): Promise<Member> {
    return this.changeLocked(principal, id, async member => {
      await this.changes.apply(member, { status: 'active' }, actorOf(principal));
    });
  }

  /**
   * Runs the edit with the member and all active owners locked. Otherwise two owners could each find the other active,
   * and both leave.
   */
  private changeLocked(
    principal: StaffPrincipal,
    id: string,
    edit: (member: Member) => Promise<void>,
  ): Promise<Member> {
    return this.units.run(async () => {
      await this.members.lockWithOwners(principal.workspaceId, id);
      const member = await this.members.find(principal, id);
      if (!member) throw new NotFound();
      if (rank(member.role) > rank(actingRole(principal))) throw new RoleTooHigh();
      const owners = await this.members.findOwners(principal.workspaceId);
      await edit(member);
      assertOwnerRemains(owners, member);
      return member;
    });
  }
}

/**
 * Ensures that the workspace keeps an active owner, and one who sees all channels and can sign in by password. An owner
 * of some channels has an agent's rights and an owner with single sign-on alone an admin's, so nobody could restore
 * full rights.
 * @param owners the owners who were active before the change
 * @throws LastOwner
 */
export function assertOwnerRemains(
  owners: readonly Pick<Member, 'id' | 'channelIds' | 'claimed'>[],
  member: Member,
): void {
  const others = owners.filter(({ id }) => id !== member.id);
  if (others.length === owners.length) return;
  const remaining = member.role === 'owner' && member.status === 'active' ? [...others, member] : others;
  const hasFullOwner = (candidates: typeof owners) =>
    candidates.some(({ channelIds, claimed }) => channelIds === null && claimed);
  if (remaining.length === 0 || (hasFullOwner(owners) && !hasFullOwner(remaining))) throw new LastOwner();
}
