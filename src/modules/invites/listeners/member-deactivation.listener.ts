import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import { MemberTeardownHooks } from '../../members/index.js';
import { InviteLogService } from '../invite-log.service.js';
import { InvitesRepository } from '../invites.repository.js';

/** Revokes the pending invite of a deactivated member, who could otherwise come back with an old link. */
@Injectable()
export class MemberDeactivationListener implements OnModuleInit {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly log: InviteLogService,
    private readonly teardownHooks: MemberTeardownHooks,
  ) {}

  onModuleInit(): void {
    this.teardownHooks.add(async ({ workspaceId, email }, by) => {
      for (const invite of await this.invites.revokePending(workspaceId, email)) {
        await this.log.recordEvent('invite.revoked', invite, actorOf(by));
      }
    });
  }
}
