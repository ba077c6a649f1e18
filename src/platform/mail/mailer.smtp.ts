import type { OnApplicationShutdown } from '@nestjs/common';
import nodemailer, { Transporter } from 'nodemailer';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { headerText } from './mail-text.js';
import type { IdentifiedMail } from './mailer.js';
import { Mailer, MailRefused } from './mailer.js';

/** Maximum silence of the mail server, in milliseconds. A whole attempt is shorter than the lease of the mail. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };
const MAX_CONNECTIONS = 3;

export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  readonly delivers = true;
  private readonly transport: Transporter;

  constructor(
    url: string,
    private readonly from: string,
    private readonly units: UnitOfWork,
  ) {
    super();
    this.transport = nodemailer.createTransport({ url, pool: true, maxConnections: MAX_CONNECTIONS, ...TIMEOUTS });
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }

  /** @throws Error in a unit of work, whose connection would be blocked until the mail server answers */
  async send({ to, subject, replyTo, headers = {}, ...mail }: IdentifiedMail): Promise<void> {
    this.units.assertNoneActive('sending mail');
    const lines = Object.entries(headers).map(([name, value]) => [name, headerText(value)]);
    try {
      await this.transport.sendMail({
        ...mail,
        from: this.from,
        // an object is a single address, whereas nodemailer parses a string as a list
        to: { name: '', address: to },
        ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
        subject: headerText(subject),
        headers: Object.fromEntries(lines) as Record<string, string>,
        // a mail contains only what we write: no files and no pages that a text names
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    } catch (error) {
      throw isPermanent(error) ? new MailRefused(String(error), { cause: error }) : error;
    }
  }
}

/** True for a reply of 500 to 599 about this mail, as opposed to the server's own trouble or our login. */
function isPermanent(error: unknown): boolean {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return responseCode !== undefined && responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
}
