import { Controller, Get, Query } from '@nestjs/common';
import { CursorInvalid } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { AnswersPage, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { AuditEntryView, ListAuditLogQuery } from './audit.schema.js';
import { AuditService } from './audit.service.js';

@Section('Audit log', 'A record of administrative changes, kept for one year by default.')
@Controller('audit-log')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Summary(
    'List audit log entries, newest first.',
    'Covers API keys, members, invites, channels, bots, contacts and sessions. Each entry has the actor, the time and the origin of the request. Filters combine.',
  )
  @Allow('audit-log:read')
  @AnswersPage(AuditEntryView)
  @Throws(CursorInvalid)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListAuditLogQuery): Promise<PageView<AuditEntryView>> {
    const { limit, cursor, action, actor_id: actorId, subject_id: subjectId, since, until } = query;
    const { items, nextCursor } = await this.audit.list(caller, {
      limit,
      cursor,
      ...(action === undefined ? {} : { actions: this.audit.actionsMatching(action) }),
      actorId,
      subjectId,
      ...(since === undefined ? {} : { since: new Date(since) }),
      ...(until === undefined ? {} : { until: new Date(until) }),
    });
    return { items, next_cursor: nextCursor };
  }
}
