import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { headerText, inertName } from '../../platform/mail/mail-text.js';
import { Mailer } from '../../platform/mail/mailer.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { Invite } from './invite.js';

/** Builds and mails the links of invites. */
@Injectable()
export class InviteMailService {
  private readonly logger = new Logger(InviteMailService.name);

  constructor(
    private readonly units: UnitOfWork,
    private readonly workspaces: WorkspacesService,
    private readonly mailer: Mailer,
    private readonly config: Config,
  ) {}

  /** The token is in the fragment, which no server and no access log sees. */
  linkFor(token: string): string {
    return `${this.config.dashboardUrl}#invite=${token}`;
  }

  /** True if a mail server is configured. Without one, mails are only logged. */
  get delivers(): boolean {
    return this.mailer.delivers;
  }

  /** Mails the link after the current unit of work commits. The caller neither waits nor fails if mailing fails. */
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
        'If you did not expect this, ignore this mail.',
      ].join('\n\n'),
    };
    this.units.afterCommit(() => {
      this.mailer.send(mail).catch((error: unknown) => {
        this.logger.error(`invite ${invite.id} not mailed: ${String(error)}`);
      });
    });
  }
}
