import { Injectable, OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { sha256 } from '../../kernel/secret.js';
import { MailComposerRegistry } from '../../platform/mail/mail-composer.registry.js';
import type { QueuedMail } from '../../platform/mail/mail-composer.registry.js';
import { renderMail } from '../../platform/mail/mail-layout.js';
import { MailQueueService } from '../../platform/mail/mail-queue.service.js';
import { inertName } from '../../platform/mail/mail-text.js';
import type { Mail } from '../../platform/mail/mailer.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { Invite } from './invite.js';
import { statusOf } from './invite.js';
import { InvitesRepository } from './invites.repository.js';

const KIND = 'invite';

/** Builds and mails the links of invites. */
@Injectable()
export class InviteMailService implements OnModuleInit {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly invites: InvitesRepository,
    private readonly mails: MailQueueService,
    private readonly composers: MailComposerRegistry,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.composers.add({ kind: KIND, compose: queued => this.compose(queued) });
  }

  /** The token is in the fragment, which no server and no access log sees. */
  linkFor(token: string): string {
    return `${this.config.dashboardUrl}#invite=${token}`;
  }

  /** True if a mail server is configured. Without one, mails are only logged. */
  get delivers(): boolean {
    return this.mails.delivers;
  }

  /** Mails the link after the current unit of work commits. A mail with an earlier link is not sent any more. */
  async send({ workspaceId, id }: Invite, token: string): Promise<void> {
    await this.mails.add({ workspaceId, kind: KIND, subjectId: id, data: { token } });
  }

  /** @returns null if the invite was accepted, revoked or renewed, or has expired */
  private async compose({ data }: QueuedMail): Promise<Mail | null> {
    const { token } = data as { token: string };
    const invite = await this.invites.findByToken(sha256(token));
    if (!invite || statusOf(invite, this.clock.now()) !== 'pending') return null;
    const workspace = await this.workspaces.find(invite.workspaceId);
    const name = inertName(workspace?.name ?? '') || 'a support desk';
    const subject = `Invitation to ${name}`;
    const body = renderMail(subject, [
      { kind: 'text', text: 'Hello,' },
      {
        kind: 'text',
        text: `you are invited to answer the customers of ${name}. This link works once, within 7 days:`,
      },
      { kind: 'link', label: 'Accept the invitation', url: this.linkFor(token) },
      { kind: 'small', text: 'If you did not expect this, ignore this mail.' },
    ]);
    return { to: invite.email, subject, ...body };
  }
}
