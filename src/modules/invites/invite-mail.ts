import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { headerText, inertName } from '../../platform/mail/mail-text.js';
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
  linkFor(token: string): string {
    return `${this.config.dashboardUrl}#invite=${token}`;
  }

  /** Whether there is a mail server; without one, the log says that a mail would have gone. */
  get delivers(): boolean {
    return this.mailer.delivers;
  }

  /** Mails the link once the present unit of work has committed. The caller neither waits for it nor fails with it. */
  async send(invite: Invite, token: string): Promise<void> {
    const workspace = await this.workspaces.find(invite.workspaceId);
    const name = inertName(workspace?.name ?? '') || 'a support desk';
    const mail = {
      to: invite.email,
      subject: headerText(`Invitation to ${name}`),
      text: [
        'Hello,',
        `you are invited to answer the customers of ${name}. This link works once, within 7 days:`,
        this.linkFor(token),
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
