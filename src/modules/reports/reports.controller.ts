import { Controller, Get, Query } from '@nestjs/common';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Forbidden } from '../../kernel/errors.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersEither, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import type { LiveBoard } from './live-board.service.js';
import { LiveBoardService } from './live-board.service.js';
import type { ReportFile } from './report-file.js';
import {
  ChannelsReportView,
  ConversationsReportView,
  LiveBoardView,
  MembersReportView,
  ReportFileView,
  ReportQuery,
  TagsReportView,
} from './report.schema.js';
import type { Report, ReportName } from './report.js';
import { ReportsService } from './reports.service.js';

type Answer<N extends ReportName> = Promise<Report<N> | ReportFile>;

@Section(
  'Reports',
  "What happened on the channels that the caller sees, counted when it happens and at most two seconds late. Durations are seconds. Admins of all channels and API keys see every member's figures, an agent its own.",
)
@Controller('reports')
export class ReportsController {
  constructor(
    private readonly reports: ReportsService,
    private readonly board: LiveBoardService,
  ) {}

  @Get('conversations')
  @Summary('Report on conversations, by hour, day or week.')
  @Allow('reports:read')
  @LimitRate('reports')
  @AnswersEither(ConversationsReportView, ReportFileView)
  @Throws(Forbidden)
  conversations(@Caller() caller: StaffPrincipal, @Query() query: ReportQuery): Answer<'conversations'> {
    return this.answer(caller, 'conversations', query);
  }

  @Get('members')
  @Summary('Report on members.', 'Active members, and others with figures. An agent gets its own row.')
  @Allow('reports:read')
  @LimitRate('reports')
  @AnswersEither(MembersReportView, ReportFileView)
  @Throws(Forbidden)
  members(@Caller() caller: StaffPrincipal, @Query() query: ReportQuery): Answer<'members'> {
    return this.answer(caller, 'members', query);
  }

  @Get('channels')
  @Summary('Report on channels.', 'Channels that exist, and deleted ones with figures.')
  @Allow('reports:read')
  @LimitRate('reports')
  @AnswersEither(ChannelsReportView, ReportFileView)
  @Throws(Forbidden)
  channels(@Caller() caller: StaffPrincipal, @Query() query: ReportQuery): Answer<'channels'> {
    return this.answer(caller, 'channels', query);
  }

  @Get('tags')
  @Summary(
    'Report on tags.',
    'A conversation counts for each of its tags, so `totals`, in which it counts once, are no sums of the items.',
  )
  @Allow('reports:read')
  @LimitRate('reports')
  @AnswersEither(TagsReportView, ReportFileView)
  @Throws(Forbidden)
  tags(@Caller() caller: StaffPrincipal, @Query() query: ReportQuery): Answer<'tags'> {
    return this.answer(caller, 'tags', query);
  }

  @Get('live')
  @Summary('Show the desk at this moment.')
  @Allow('reports:read')
  @LimitRate('reports')
  @Answers(LiveBoardView)
  live(@Caller() caller: StaffPrincipal): Promise<LiveBoard> {
    return this.board.show(caller);
  }

  private answer<N extends ReportName>(caller: StaffPrincipal, name: N, query: ReportQuery): Answer<N> {
    const { format, ...request } = query;
    return format === 'csv' ? this.reports.export(caller, name, request) : this.reports.report(caller, name, request);
  }
}
