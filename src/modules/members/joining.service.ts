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

/** What somebody who accepts an invite is here. */
export interface MembershipGrant {
  name: string;
  role: Role;
  /** null: all. */
  channelIds: string[] | null;
}

/** How people come in by an invite: new ones, those who left, and those whom a key has made and no password opens. */
@Injectable()
export class JoiningService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly members: MembersRepository,
    private readonly changes: MemberChangesService,
    private readonly scopeHooks: MemberScopeHooks,
  ) {}

  /**
   * Who has this e-mail here, where an invite of somebody of that role may let them in; null for a stranger. A member
   * above them is not theirs to invite: whoever invites sees the link, and with it could come in as that member.
   * @throws MemberExists, RoleTooHigh
   */
  async findInvitable(workspaceId: string, email: string, by: Role): Promise<Member | null> {
    const member = await this.members.findByEmail(workspaceId, email);
    if (member) assertCanJoin(member);
    if (member && rank(member.role) > rank(by)) throw new RoleTooHigh();
    return member;
  }

  /** The user's place here, if it has one, locked until the unit of work ends; before any invite is. */
  async lockForShare(workspaceId: string, userId: string): Promise<Member | null> {
    const member = await this.members.findByUser(workspaceId, userId);
    if (!member) return null;
    await this.members.lockWithOwners(workspaceId, member.id);
    return this.members.find(systemOf(workspaceId), member.id);
  }

  /**
   * Makes the user a member whom its password lets in. One who is here already becomes what the invite says, no more
   * and no less; one who had left is back. Joins the caller's unit of work.
   * @throws MemberExists for one whom its password lets in already @throws LastOwner
   */
  async join(workspaceId: string, user: User, grant: MembershipGrant): Promise<Member> {
    return this.units.run(async () => {
      const member = await this.lockForShare(workspaceId, user.id);
      return member ? this.claim(member, grant) : this.changes.add(workspaceId, user, { ...grant, claimed: true });
    });
  }

  private async claim(member: Member, grant: MembershipGrant): Promise<Member> {
    assertCanJoin(member);
    const owners = await this.members.findOwners(member.workspaceId);
    const scopeChanged = JSON.stringify(grant.channelIds) !== JSON.stringify(member.channelIds);
    member.claimed = true;
    const actor = { type: 'member', id: member.id } as const;
    // what is different for the password alone is nobody's news
    if (!(await this.changes.apply(member, { ...grant, status: 'active' }, actor))) await this.members.update(member);
    assertOwnerRemains(owners, member);
    if (scopeChanged) await this.scopeHooks.run(member, systemOf(member.workspaceId));
    return member;
  }
}

/** Whoever works here and can sign in needs no invite. */
function assertCanJoin(member: Member): void {
  if (member.status === 'active' && member.claimed) throw new MemberExists();
}
