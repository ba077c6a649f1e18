import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { MembersService } from '../members/index.js';
import { UsersService } from '../users/index.js';
import type { SessionRefused } from './auth.events.js';
import './auth.events.js';

const SYSTEM_ACTOR: Actor = { type: 'system', id: null };

type PasswordEvent = 'password.changed' | 'password.reset' | 'password.reset_requested';

/** Records refused sign-ins and password events, never what was typed. Callers do not wait for refusals. */
@Injectable()
export class AuthLogService {
  private readonly logger = new Logger(AuthLogService.name);
  private readonly recentLockouts = new ExpiringMap(60_000, 1_000);

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly members: MembersService,
    private readonly users: UsersService,
    private readonly clock: Clock,
  ) {}

  /** Records that sign-in with this e-mail is rate limited. At most once a minute per e-mail. */
  recordLockout(email: string): void {
    if (!this.recentLockouts.addIfAbsent(email, this.clock.now())) return;
    this.users
      .findByEmail(email)
      .then(user => user && this.recordUserRefusal(user.id, { method: 'login', reason: 'rate_limited' }))
      .catch((error: unknown) => this.logger.warn(`refusal not recorded: ${String(error)}`));
  }

  /**
   * Records a refused sign-in of the workspace, in the background: waiting for it would take longer for an existing
   * account, and so reveal it.
   * @param actor who was refused, if a credential proved it
   */
  recordRefusal(workspaceId: string, refusal: SessionRefused, actor: Actor = SYSTEM_ACTOR): void {
    this.units
      .run(() => this.events.record({ type: 'session.refused', workspaceId, actor, payload: refusal }))
      .catch((error: unknown) => this.logger.warn(`refusal not recorded: ${String(error)}`));
  }

  /**
   * Records a refusal in each workspace that the user's password opens.
   * @param signedIn whether the user itself was refused; false if it may have been anybody
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
      .catch((error: unknown) => this.logger.warn(`refusal not recorded: ${String(error)}`));
  }

  /** Records a password event in each workspace that the password opens. Joins the caller's unit of work. */
  async recordPasswordEvent(type: PasswordEvent, userId: string): Promise<void> {
    for (const { workspaceId, memberId, claimed } of await this.members.findMemberships(userId)) {
      if (!claimed) continue;
      // a request for a link proves nothing; using the link proves access to the member's mailbox
      const actor: Actor = type === 'password.reset_requested' ? SYSTEM_ACTOR : { type: 'member', id: memberId };
      await this.events.record({ type, workspaceId, actor, payload: { member_id: memberId } });
    }
  }
}
