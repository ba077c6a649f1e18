import nodemailer, { Transporter } from 'nodemailer';
import type { Mail } from './mailer.js';
import { Mailer } from './mailer.js';

export class SmtpMailer extends Mailer {
  readonly delivers = true;
  private readonly transport: Transporter;

  constructor(
    url: string,
    private readonly from: string,
  ) {
    super();
    this.transport = nodemailer.createTransport(url);
  }

  async send(mail: Mail): Promise<void> {
    await this.transport.sendMail({ from: this.from, ...mail });
  }
}
