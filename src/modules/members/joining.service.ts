import { Injectable } from '@nestjs/common';
import type { Role } from '../../kernel/principal.js';
import { rank, systemOf } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { User } from '../users/index.js';
import { assertOwnerRemains } from './member-administration.service.js';
import { MemberChangesService } from './member-changes.service.js';
import { MemberScopeHooks } from './member-teardown-hooks.js';
import type { Member } from './member.js';
import { MemberExists, RoleTooHigh } from './members.errors.js';
import { MembersRepository } from './members.repository.js';

/** Membership that an accepted invite grants. */
export interface MembershipGrant {
  name: string;
  role: Role;
  /** null grants all channels. */
  channelIds: string[] | null;
}

/**
 * Adds members by invite: new ones, deactivated ones, and members created by an API key who cannot sign in by password
 * yet.
 */
@Injectable()
export class JoiningService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly members: MembersRepository,
    private readonly changes: MemberChangesService,
    private readonly scopeHooks: MemberScopeHooks,
  ) {}

  /**
   * Finds the member with this e-mail that the inviter may invite; null if there is no such member. Refuses members
   * above the inviter's role: the inviter sees the link and could sign in as that member.
   * @throws MemberExists, RoleTooHigh
   */
  async findInvitable(workspaceId: string, email: string, by: Role): Promise<Member | null> {
    const member = await this.members.findByEmail(workspaceId, email);
    if (member) assertCanJoin(member);
    if (member && rank(member.role) > rank(by)) throw new RoleTooHigh();
    return member;
  }

  /**
   * Finds the user's membership and locks it, with all active owners, until the unit of work ends. Call it before an
   * invite is locked.
   */
  async lockMembership(workspaceId: string, userId: string): Promise<Member | null> {
    const member = await this.members.findByUser(workspaceId, userId);
    if (!member) return null;
    await this.members.lockWithOwners(workspaceId, member.id);
    return this.members.find(systemOf(workspaceId), member.id);
  }

  /**
   * Makes the user a member who can sign in by password. An existing member gets exactly what the invite grants, and a
   * deactivated one becomes active. Joins the caller's unit of work.
   * @throws LastOwner @throws MemberExists if the member can already sign in by password
   */
  async join(workspaceId: string, user: User, grant: MembershipGrant): Promise<Member> {
    return this.units.run(async () => {
      const member = await this.lockMembership(workspaceId, user.id);
      return member ? this.claim(member, grant) : this.changes.add(workspaceId, user, { ...grant, claimed: true });
    });
  }

  private async claim(member: Member, grant: MembershipGrant): Promise<Member> {
    assertCanJoin(member);
    const owners = await this.members.findOwners(member.workspaceId);
    const scopeChanged = JSON.stringify(grant.channelIds) !== JSON.stringify(member.channelIds);
    member.claimed = true;
    const actor = { type: 'member', id: member.id } as const;
    // setting `claimed` alone changes no wire field, so it records no event
    if (!(await this.changes.apply(member, { ...grant, status: 'active' }, actor))) await this.members.update(member);
    assertOwnerRemains(owners, member);
    if (scopeChanged) await this.scopeHooks.run(member, systemOf(member.workspaceId));
    return member;
  }
}

/** An active member who can sign in by password needs no invite. @throws MemberExists */
function assertCanJoin(member: Member): void {
  if (member.status === 'active' && member.claimed) throw new MemberExists();
}
