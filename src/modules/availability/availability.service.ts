import { Injectable } from '@nestjs/common';
import { Clock, toWireTimeOrNull } from '../../kernel/clock.js';
import type { Opening } from '../../kernel/opening.js';
import type { Channel } from '../channels/index.js';
import { MemberPresenceService } from '../members/index.js';
import type { Workspace } from '../workspaces/index.js';
import { OpeningCache } from './opening-cache.js';
import { ReplyTimesRepository } from './reply-times.repository.js';

/** Tells visitors when they can expect an answer. */
export interface Availability {
  /** A member who sees the channel is connected and available. */
  online: boolean;
  within_business_hours: boolean;
  /** Null while open, or if the desk does not open within 400 days. */
  next_open_at: string | null;
  /** Null if there were too few answers in the last days. */
  typical_reply_seconds: number | null;
}

/** Tells whether people answer on a channel now, and how soon they usually do. */
@Injectable()
export class AvailabilityService {
  private readonly openings = new OpeningCache();

  constructor(
    private readonly members: MemberPresenceService,
    private readonly replyTimes: ReplyTimesRepository,
    private readonly clock: Clock,
  ) {}

  async getAvailability(channel: Channel, workspace: Workspace): Promise<Availability> {
    const { open, changesAt } = this.getOpening(channel, workspace);
    const { workspaceId, id: channelId } = channel;
    return {
      online: this.members.isAnyOnline(workspaceId, channelId),
      within_business_hours: open,
      next_open_at: toWireTimeOrNull(open ? null : changesAt),
      typical_reply_seconds: await this.replyTimes.findSeconds({ workspaceId, channelId }),
    };
  }

  /** True outside business hours, and while no member who sees the channel is online. */
  isAway(channel: Channel, workspace: Workspace): boolean {
    return !this.getOpening(channel, workspace).open || !this.members.isAnyOnline(channel.workspaceId, channel.id);
  }

  private getOpening(channel: Channel, workspace: Workspace): Opening {
    return this.openings.get(channel.businessHours ?? workspace.businessHours, workspace.timezone, this.clock.now());
  }
}
