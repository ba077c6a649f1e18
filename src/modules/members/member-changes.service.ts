import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { EventLog } from '../../platform/events/event-log.js';
import type { Member, MemberRecord } from './member.js';
import { toMemberRecord } from './member.js';
import './members.events.js';
import { MembersRepository } from './members.repository.js';

/** Writes changes of a member that the caller holds locked: row and event. */
@Injectable()
export class MemberChanges {
  constructor(
    private readonly events: EventLog,
    private readonly members: MembersRepository,
    private readonly clock: Clock,
  ) {}

  /** Does nothing when nothing would be different. @returns whether anything is */
  async apply(member: Member, changes: Partial<Member>, actor: Actor): Promise<boolean> {
    const before = toMemberRecord(member);
    const after = toMemberRecord({ ...member, ...changes });
    const keys = Object.keys(after) as (keyof MemberRecord)[];
    const changed = keys.filter(key => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
    if (changed.length === 0) return false;
    Object.assign(member, changes, { updatedAt: this.clock.now() });
    await this.members.update(member);
    await this.events.audit({
      type: 'member.updated',
      workspaceId: member.workspaceId,
      actor,
      payload: { member: toMemberRecord(member), changed },
    });
    return true;
  }
}
