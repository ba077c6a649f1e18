import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { newId } from '../../kernel/ids.js';
import { violates } from '../../platform/database/database-errors.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { User } from '../users/index.js';
import type { Member, MemberRecord } from './member.js';
import { toMemberRecord } from './member.js';
import { MemberExists } from './members.errors.js';
import './members.events.js';
import { MembersRepository } from './members.repository.js';
import { DEFAULT_NOTIFICATION_SETTINGS } from './notification-settings.js';

export type NewMemberFields = Pick<Member, 'name' | 'role' | 'channelIds' | 'claimed'>;

/** Writes members and their events. The caller has locked existing members. */
@Injectable()
export class MemberChangesService {
  constructor(
    private readonly events: EventLogService,
    private readonly members: MembersRepository,
    private readonly clock: Clock,
  ) {}

  /** Does nothing if no wire field changes. @returns whether anything changed */
  async apply(member: Member, changes: Partial<Member>, actor: Actor): Promise<boolean> {
    const before = toMemberRecord(member);
    const after = toMemberRecord({ ...member, ...changes });
    const keys = Object.keys(after) as (keyof MemberRecord)[];
    const changed = keys.filter(key => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
    if (changed.length === 0) return false;
    Object.assign(member, changes, { updatedAt: this.clock.now() });
    await this.members.update(member);
    await this.events.record({
      type: 'member.updated',
      workspaceId: member.workspaceId,
      actor,
      payload: { member: toMemberRecord(member), changed },
    });
    return true;
  }

  /**
   * Adds a new member.
   * @param actor who adds it; defaults to the member itself
   * @throws MemberExists
   */
  async add(workspaceId: string, user: User, fields: NewMemberFields, actor?: Actor): Promise<Member> {
    const now = this.clock.now();
    const member: Member = {
      id: newId(),
      workspaceId,
      userId: user.id,
      email: user.email,
      ...fields,
      avatarUrl: null,
      status: 'active',
      availability: 'online',
      capacity: 10,
      notificationSettings: DEFAULT_NOTIFICATION_SETTINGS,
      lastSeenAt: null,
      createdAt: now,
      updatedAt: now,
    };
    try {
      await this.members.add(member);
    } catch (error) {
      if (violates(error, 'uq_member_user')) throw new MemberExists({ cause: error });
      throw error;
    }
    await this.events.record({
      type: 'member.created',
      workspaceId,
      actor: actor ?? { type: 'member', id: member.id },
      payload: toMemberRecord(member),
    });
    return member;
  }
}
