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

/** What admins decide about members: who they are here, what they may do, and whether they still work here. */
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
      // a list that stays as it is may name channels that have been deleted since
      if (scopeChanged) await this.channels.assertExisting(principal.workspaceId, channelIds);
      const fields = { name, role, capacity, channelIds };
      const changes = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      await this.changes.apply(member, changes, actorOf(principal));
      if (scopeChanged) await this.scopeHooks.run(member, principal);
    });
  }

  /** Ends the member's work here, and all that comes with it; nothing when it has ended. @throws as `update` */
  deactivate(principal: StaffPrincipal, id: string): Promise<Member> {
    return this.changeLocked(principal, id, async member => {
      const ended = await this.changes.apply(member, { status: 'deactivated' }, actorOf(principal));
      if (ended) await this.teardownHooks.run(member, principal);
    });
  }

  /** Lets the member sign in again; what ended with the deactivation stays ended. @throws NotFound, RoleTooHigh */
  reactivate(principal: StaffPrincipal, id: string): Promise<Member> {
    return this.changeLocked(principal, id, async member => {
      await this.changes.apply(member, { status: 'active' }, actorOf(principal));
    });
  }

  /** Under the locks of the member and of the owners, who therefore cannot each find another there and all leave. */
  private changeLocked(principal: StaffPrincipal, id: string, edit: (member: Member) => Promise<void>): Promise<Member> {
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
 * A workspace keeps an active owner, and one who sees all channels and has a password: an owner of some channels has the
 * rights of an agent, one whom single sign-on alone reaches those of an admin, and nobody below an owner could ever lift
 * that.
 * @param owners those who were active before the member became what it is now
 */
export function assertOwnerRemains(owners: readonly Pick<Member, 'id' | 'channelIds' | 'claimed'>[], member: Member): void {
  const others = owners.filter(({ id }) => id !== member.id);
  if (others.length === owners.length) return;
  const remaining = member.role === 'owner' && member.status === 'active' ? [...others, member] : others;
  const hasFullOwner = (candidates: typeof owners) => candidates.some(({ channelIds, claimed }) => channelIds === null && claimed);
  if (remaining.length === 0 || (hasFullOwner(owners) && !hasFullOwner(remaining))) throw new LastOwner();
}
