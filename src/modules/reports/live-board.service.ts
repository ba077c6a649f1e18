import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { InboxService } from '../conversations/index.js';
import { MemberPresenceService } from '../members/index.js';
import { MAX_WAITING, ownMemberOf } from './report.js';
import type { BoardMember } from './subjects.repository.js';
import { SubjectsRepository } from './subjects.repository.js';

export interface LiveMember {
  member_id: string;
  name: string;
  availability: BoardMember['availability'];
  online: boolean;
  open: number;
  capacity: number;
}

/** A desk at this moment. */
export interface LiveBoard {
  open: number;
  pending: number;
  snoozed: number;
  unassigned: number;
  waiting: number;
  longest_waiting_seconds: number | null;
  members: LiveMember[];
}

/** Shows a desk as it is now, from counts that are kept up to date. */
@Injectable()
export class LiveBoardService {
  constructor(
    private readonly inbox: InboxService,
    private readonly subjects: SubjectsRepository,
    private readonly presence: MemberPresenceService,
    private readonly clock: Clock,
  ) {}

  async show(principal: StaffPrincipal): Promise<LiveBoard> {
    const [{ open, pending, snoozed, unassigned, waiting }, longest, members] = await Promise.all([
      this.inbox.getCounts(principal, MAX_WAITING),
      this.inbox.list(principal, { sort: 'waiting', limit: 1 }),
      this.subjects.findBoard(principal, ownMemberOf(principal)),
    ]);
    const since = longest.items[0]?.waiting_since ?? null;
    return {
      open,
      pending,
      snoozed,
      unassigned,
      waiting,
      longest_waiting_seconds: since === null ? null : this.secondsSince(since),
      members: members.map(({ id, name, availability, open: load, capacity }) => {
        const online = this.presence.isConnected(principal.workspaceId, id);
        return { member_id: id, name, availability, online, open: load, capacity };
      }),
    };
  }

  private secondsSince(time: string): number {
    return Math.max(0, Math.floor((this.clock.now().getTime() - Date.parse(time)) / 1_000));
  }
}
