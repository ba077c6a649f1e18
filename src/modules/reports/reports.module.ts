import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MembersModule } from '../members/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { ActsService } from './acts.service.js';
import { BackfillWorker } from './backfill.worker.js';
import { BackfillsRepository } from './backfills.repository.js';
import { FactsRepository } from './facts.repository.js';
import { HistoriesRepository } from './histories.repository.js';
import { LiveBoardService } from './live-board.service.js';
import { MergedTagsRepository } from './merged-tags.repository.js';
import { OpeningsRepository } from './openings.repository.js';
import { OutcomesRepository } from './outcomes.repository.js';
import {
  ReportBackfillEntity,
  ReportFactEntity,
  ReportTotalEntity,
  ReportMergedTagEntity,
  ReportStateEntity,
  ReportOutcomeEntity,
} from './report.entity.js';
import { ReportRecountsService } from './report-recounts.service.js';
import { ReportsConsumer } from './reports.consumer.js';
import { ReportsController } from './reports.controller.js';
import { REPORT_EVENTS } from './reports.events.js';
import { ReportsRepository } from './reports.repository.js';
import { ReportsService } from './reports.service.js';
import { SubjectsRepository } from './subjects.repository.js';

@Module({
  imports: [WorkspacesModule, ChannelsModule, MembersModule, ConversationsModule],
  controllers: [ReportsController],
  providers: [
    FactsRepository,
    OutcomesRepository,
    OpeningsRepository,
    MergedTagsRepository,
    ActsService,
    ReportsConsumer,
    BackfillsRepository,
    HistoriesRepository,
    BackfillWorker,
    ReportRecountsService,
    ReportsRepository,
    SubjectsRepository,
    ReportsService,
    LiveBoardService,
  ],
})
export class ReportsModule {
  static readonly entities = [
    ReportFactEntity,
    ReportTotalEntity,
    ReportOutcomeEntity,
    ReportMergedTagEntity,
    ReportStateEntity,
    ReportBackfillEntity,
  ];
  static readonly events = REPORT_EVENTS;
}
