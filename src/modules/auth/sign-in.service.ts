import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/domain-event.js';
import { NotFound } from '../../kernel/errors.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Member } from '../members/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { SignIn } from './agent-session.js';
import { AuthLogService } from './auth-log.service.js';
import type { SessionRefused } from './auth.events.js';
import type { SessionOpening } from './sessions.service.js';
import { SessionsService } from './sessions.service.js';

/** Last step of every sign-in, and the log of refused ones. */
@Injectable()
export class SignInService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly sessions: SessionsService,
    private readonly workspaces: WorkspacesService,
    private readonly log: AuthLogService,
  ) {}

  /** Opens a session of the member. Joins the caller's unit of work. @throws MemberDeactivated */
  async open(member: Member, opening: SessionOpening): Promise<SignIn> {
    return this.units.run(async () => {
      const workspace = await this.workspaces.find(member.workspaceId);
      if (!workspace) throw new NotFound();
      return { open: await this.sessions.open(member, opening), member, workspace };
    });
  }

  /** Records a refused sign-in of the workspace, in the background. */
  recordRefusal(workspaceId: string, refusal: SessionRefused, actor?: Actor): void {
    this.log.recordRefusal(workspaceId, refusal, actor);
  }
}
