import { Injectable } from '@nestjs/common';
import { RateLimited } from '../../kernel/errors.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { MembersService } from '../members/index.js';
import type { User } from '../users/index.js';
import { InviteMailService } from './invite-mail.service.js';
import type { Invite } from './invite.js';
import { newInviteToken } from './invite.js';
import { MailboxUnproved } from './invites.errors.js';
import { InvitesRepository } from './invites.repository.js';

/**
 * Decides which link may set a user's first password. The inviter sees one of the links: with it, any workspace's owner
 * could otherwise choose the password of another workspace's member.
 */
@Injectable()
export class MailboxProofsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly invites: InvitesRepository,
    private readonly members: MembersService,
    private readonly mail: InviteMailService,
    private readonly limiter: RateLimitService,
  ) {}

  /**
   * @param user the user with the invite's e-mail, if any
   * @throws MailboxUnproved if the shown link would set the password of another workspace's member
   */
  async assertProved(invite: Invite, user: User | null, token: string): Promise<void> {
    if (!user || user.passwordHash !== null || invite.mailedTokenHash === sha256(token)) return;
    const memberships = await this.members.findMemberships(user.id);
    if (memberships.some(({ workspaceId }) => workspaceId !== invite.workspaceId)) throw new MailboxUnproved();
  }

  /**
   * Mails a new link to the invite's address, in place of the one mailed before. Shares the hourly limit of password
   * resets. Without a mail server the mail is only logged.
   */
  async mailLink(invite: Invite): Promise<void> {
    try {
      await this.limiter.consume('password_forgot', invite.email);
    } catch (error) {
      if (error instanceof RateLimited) return;
      throw error;
    }
    await this.units.run(async () => {
      const token = newInviteToken();
      if (await this.invites.setMailedToken(invite, sha256(token))) await this.mail.send(invite, token);
    });
  }
}
