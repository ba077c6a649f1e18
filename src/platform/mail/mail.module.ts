import { Global, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { MailComposerRegistry } from './mail-composer.registry.js';
import { MailQueueRepository } from './mail-queue.repository.js';
import { MailQueueService } from './mail-queue.service.js';
import { MailRetentionJob } from './mail-retention.job.js';
import { MailWorker } from './mail.worker.js';
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
    MailComposerRegistry,
    MailQueueRepository,
    MailQueueService,
    MailWorker,
    MailRetentionJob,
  ],
  exports: [MailComposerRegistry, MailQueueService],
})
export class MailModule {}
