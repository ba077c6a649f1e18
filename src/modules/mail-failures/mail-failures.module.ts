import { Module } from '@nestjs/common';
import { MailFailuresController } from './mail-failures.controller.js';

/** Shows failed mails. Modules that send mail use `platform/mail`. */
@Module({ controllers: [MailFailuresController] })
export class MailFailuresModule {}
