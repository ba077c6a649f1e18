import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Mailer } from '../../platform/mail/mailer.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { Invite } from './invite.js';

/** The link of an invite, and how it gets to whom it is for. */
@Injectable()
export class InviteMail {
  private readonly logger = new Logger(InviteMail.name);

  constructor(
    private readonly units: UnitOfWork,
    private readonly workspaces: WorkspacesService,
    private readonly mailer: Mailer,
    private readonly config: Config,
  ) {}

  /** In the fragment, which no server and no access log ever sees. */
  link(token: string): string {
    return `${this.config.dashboardUrl}#invite=${token}`;
  }

  /**
   * Mails the link once the present unit of work has committed, where there is a mail server. Nobody waits for it, and
   * nothing fails with it: whoever invites has the link in the answer.
   */
  async send(invite: Invite, token: string): Promise<void> {
    if (!this.mailer.delivers) return;
    const workspace = await this.workspaces.find(invite.workspaceId);
    // a name of two lines would be a header of its own, or a sentence of ours
    const name = (workspace?.name ?? '').replace(/\s+/g, ' ').trim();
    const mail = {
      to: invite.email,
      subject: `Invitation to ${name}`,
      text: [
        'Hello,',
        `you are invited to answer the customers of ${name}. This link works once, within 7 days:`,
        this.link(token),
        'If you did not expect this, nothing happens unless you follow it.',
      ].join('\n\n'),
    };
    this.units.afterCommit(() => {
      this.mailer.send(mail).catch((error: unknown) => {
        this.logger.error(`invite ${invite.id} was not mailed: ${String(error)}`);
      });
    });
  }
}
