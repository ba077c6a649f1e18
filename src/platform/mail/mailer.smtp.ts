import nodemailer, { Transporter } from 'nodemailer';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { headerText } from './mail-text.js';
import type { Mail } from './mailer.js';
import { Mailer } from './mailer.js';

export class SmtpMailer extends Mailer {
  readonly delivers = true;
  private readonly transport: Transporter;

  constructor(
    url: string,
    private readonly from: string,
    private readonly units: UnitOfWork,
  ) {
    super();
    this.transport = nodemailer.createTransport(url);
  }

  /** @throws Error in a unit of work, whose connection would be blocked until the mail server answers */
  async send({ to, subject, text }: Mail): Promise<void> {
    this.units.assertNoneActive('sending mail');
    // an object is a single address, whereas nodemailer parses a string as a list
    const recipient = { name: '', address: to };
    await this.transport.sendMail({ from: this.from, to: recipient, subject: headerText(subject), text });
  }
}
