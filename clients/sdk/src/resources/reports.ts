import type { AuthorizedApi } from '../authorized-api.js';
import type { ReportQuery } from '../bodies.js';
import type {
  ChannelsReportView,
  ConversationsReportView,
  LiveBoardView,
  MembersReportView,
  ReportFileView,
  TagsReportView,
} from '../types.js';

/** Reports on the channels that the caller sees. Durations are seconds. */
export class Reports {
  constructor(private readonly api: AuthorizedApi) {}

  /** Reports by hour, day or week. */
  conversations(query?: ReportQuery): Promise<ConversationsReportView> {
    return this.api.get('/v1/reports/conversations', query);
  }

  /** An agent who is no admin of all channels gets its own row. */
  members(query?: ReportQuery): Promise<MembersReportView> {
    return this.api.get('/v1/reports/members', query);
  }

  channels(query?: ReportQuery): Promise<ChannelsReportView> {
    return this.api.get('/v1/reports/channels', query);
  }

  tags(query?: ReportQuery): Promise<TagsReportView> {
    return this.api.get('/v1/reports/tags', query);
  }

  /** Returns a report as comma-separated values for a spreadsheet. The audit log tells of it. */
  file(report: 'conversations' | 'members' | 'channels' | 'tags', query?: ReportQuery): Promise<ReportFileView> {
    return this.api.get(`/v1/reports/${report}`, { ...query, format: 'csv' });
  }

  /** Shows the desk at this moment. */
  live(): Promise<LiveBoardView> {
    return this.api.get('/v1/reports/live');
  }
}
