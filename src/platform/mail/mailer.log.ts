import { Logger } from '@nestjs/common';
import type { IdentifiedMail } from './mailer.js';
import { Mailer } from './mailer.js';

/** Logs mail instead of sending it, without the text: its links are as sensitive as passwords. */
export class LogMailer extends Mailer {
  readonly delivers = false;
  private readonly logger = new Logger('mail');

  send({ to, subject }: IdentifiedMail): Promise<void> {
    this.logger.log(`no SMTP_URL: a mail to ${to} was not sent: ${subject}`);
    return Promise.resolve();
  }
}
