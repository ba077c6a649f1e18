import { Controller, Get, Query } from '@nestjs/common';
import { CursorInvalid } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { AnswersPage, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { MailQueueService } from '../../platform/mail/mail-queue.service.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery, toPageView } from '../../platform/schemas/page.schema.js';
import { MailFailureView, toMailFailureView } from './mail-failure.schema.js';

@Section('Mail', 'Mail that the service sends.')
@Controller('mail/failures')
export class MailFailuresController {
  constructor(private readonly mails: MailQueueService) {}

  @Get()
  @Summary(
    'List mails that were given up, newest first.',
    'A mail is tried for three days, unless the mail server refuses it for good.',
  )
  @Allow('workspace:read', { role: 'admin' })
  @AnswersPage(MailFailureView)
  @Throws(CursorInvalid)
  async list(@Caller() caller: StaffPrincipal, @Query() page: PageQuery): Promise<PageView<MailFailureView>> {
    return toPageView(await this.mails.listFailures(caller.workspaceId, page), toMailFailureView);
  }
}
