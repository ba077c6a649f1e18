import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLog } from '../../platform/events/event-log.js';
import { MembersService } from '../members/index.js';
import { UsersService } from '../users/index.js';
import type { SessionRefused } from './auth.events.js';
import './auth.events.js';

const SYSTEM_ACTOR: Actor = { type: 'system', id: null };

type PasswordEvent = 'password.changed' | 'password.reset' | 'password.reset_requested';

/** What is written down of doors that stayed shut, and of passwords: never what was typed. */
@Injectable()
export class AuthLog {
  private readonly logger = new Logger(AuthLog.name);
  private readonly recentLockouts = new ExpiringMap(60_000, 1_000);

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLog,
    private readonly members: MembersService,
    private readonly users: UsersService,
    private readonly clock: Clock,
  ) {}

  /** Somebody is refused whatever it types, for too many wrong passwords came before. Once a minute an e-mail. */
  recordLockout(email: string): void {
    if (!this.recentLockouts.addIfAbsent(email, this.clock.now())) return;
    this.users
      .findByEmail(email)
      .then(user => user && this.recordUserRefusal(user.id, { method: 'login', reason: 'rate_limited' }))
      .catch((error: unknown) => this.logger.warn(`a refusal was not written down: ${String(error)}`));
  }

  /**
   * Writes down that somebody was turned away at a door of the workspace. Nobody waits for it: that it takes longer
   * where there is somebody to be refused would tell a stranger who is.
   * @param actor whoever it was, where a credential tells
   */
  recordRefusal(workspaceId: string, refusal: SessionRefused, actor: Actor = SYSTEM_ACTOR): void {
    this.units
      .run(() => this.events.audit({ type: 'session.refused', workspaceId, actor, payload: refusal }))
      .catch((error: unknown) => this.logger.warn(`a refusal was not written down: ${String(error)}`));
  }

  /**
   * The same in each workspace that the user's password opens.
   * @param signedIn whether it was the user who was refused, and not just anybody
   */
  recordUserRefusal(userId: string, refusal: Pick<SessionRefused, 'method' | 'reason'>, signedIn = false): void {
    this.members
      .findMemberships(userId)
      .then(memberships => {
        for (const { workspaceId, memberId, claimed } of memberships) {
          if (!claimed) continue;
          const actor: Actor = signedIn ? { type: 'member', id: memberId } : SYSTEM_ACTOR;
          this.recordRefusal(workspaceId, { ...refusal, member_id: memberId }, actor);
        }
      })
      .catch((error: unknown) => this.logger.warn(`a refusal was not written down: ${String(error)}`));
  }

  /** What has become of a password, in each workspace that it opens. Part of the caller's unit of work. */
  async recordPasswordEvent(type: PasswordEvent, userId: string): Promise<void> {
    for (const { workspaceId, memberId, claimed } of await this.members.findMemberships(userId)) {
      if (!claimed) continue;
      // whoever asks for a link has proved nothing; whoever comes with it has the member's mailbox
      const actor: Actor = type === 'password.reset_requested' ? SYSTEM_ACTOR : { type: 'member', id: memberId };
      await this.events.audit({ type, workspaceId, actor, payload: { member_id: memberId } });
    }
  }
}
