import { Injectable, Logger } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLog } from '../../platform/events/event-log.js';
import type { Member } from '../members/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { SignIn } from './agent-session.js';
import type { SessionRefused } from './auth.events.js';
import type { SessionOpening } from './sessions.service.js';
import { SessionsService } from './sessions.service.js';

/** The last step of every door, and what is written down of those who did not get through. */
@Injectable()
export class SignInService {
  private readonly logger = new Logger(SignInService.name);

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLog,
    private readonly sessions: SessionsService,
    private readonly workspaces: WorkspacesService,
  ) {}

  /** Opens a session of the member. Joins the caller's unit of work. @throws MemberDeactivated */
  async open(member: Member, opening: SessionOpening): Promise<SignIn> {
    return this.units.run(async () => {
      const workspace = await this.workspaces.find(member.workspaceId);
      if (!workspace) throw new NotFound();
      return { open: await this.sessions.open(member, opening), member, workspace };
    });
  }

  /**
   * Writes down that somebody was turned away at a door of the workspace. Nobody waits for it: that it takes longer
   * where there is somebody to be refused would tell a stranger who is.
   */
  refused(workspaceId: string, refusal: SessionRefused): void {
    const actor = { type: 'system', id: null } as const;
    this.units
      .run(() => this.events.audit({ type: 'session.refused', workspaceId, actor, payload: refusal }))
      .catch((error: unknown) => this.logger.warn(`a refusal was not written down: ${String(error)}`));
  }
}
