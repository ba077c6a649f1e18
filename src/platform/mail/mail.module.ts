import { Global, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Mailer } from './mailer.js';
import { LogMailer } from './mailer.log.js';
import { SmtpMailer } from './mailer.smtp.js';

@Global()
@Module({
  providers: [
    {
      provide: Mailer,
      inject: [Config, UnitOfWork],
      useFactory: (config: Config, units: UnitOfWork) =>
        config.smtpUrl ? new SmtpMailer(config.smtpUrl, config.mailFrom, units) : new LogMailer(),
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
