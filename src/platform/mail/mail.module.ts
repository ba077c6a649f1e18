import { Global, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Mailer } from './mailer.js';
import { LogMailer } from './mailer.log.js';
import { SmtpMailer } from './mailer.smtp.js';

@Global()
@Module({
  providers: [
    {
      provide: Mailer,
      inject: [Config],
      useFactory: (config: Config) =>
        config.smtpUrl ? new SmtpMailer(config.smtpUrl, config.mailFrom) : new LogMailer(),
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
