import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { Invite } from './invite.js';
import { toInviteRecord } from './invite.js';
import './invites.events.js';

type InviteEvent = 'invite.created' | 'invite.renewed' | 'invite.revoked' | 'invite.accepted';

/** Records events of invites, without their tokens. */
@Injectable()
export class InviteLogService {
  constructor(
    private readonly events: EventLogService,
    private readonly clock: Clock,
  ) {}

  async recordEvent(type: InviteEvent, invite: Invite, actor: Actor): Promise<void> {
    const payload = toInviteRecord(invite, this.clock.now());
    await this.events.record({ type, workspaceId: invite.workspaceId, actor, payload });
  }
}
