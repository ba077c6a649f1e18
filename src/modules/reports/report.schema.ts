import {
  Choice,
  Counts,
  Decimal,
  Flag,
  Id,
  Integer,
  Nested,
  NestedList,
  Text,
  Time,
} from '../../platform/schemas/fields.js';
import { AVAILABILITIES } from '../members/index.js';
import type { DurationFigures, Figures, RatingFigures } from './figures.js';
import type { LiveBoard, LiveMember } from './live-board.service.js';
import type { Interval } from './report-buckets.js';
import { INTERVALS } from './report-buckets.js';
import type { Report } from './report.js';
import { MAX_WAITING } from './report.js';
import type { ReportFile } from './report-file.js';

const optional = true;
const nullable = true;
/** At most a bucket for each hour of 31 days and one more hour, or the members of a large workspace. */
const maxItems = 10_000;

export class ReportQuery {
  @Time({
    optional,
    description: 'Begin of the report, 30 days before `to` by default. Rounded down to a quarter of an hour.',
  })
  from?: string;
  @Time({ optional, description: 'End of the report, exclusive; now by default. Rounded up to a quarter of an hour.' })
  to?: string;
  @Choice(INTERVALS, { optional, description: '`day` by default. Weeks begin on Monday. `hour`: at most 31 days.' })
  interval?: Interval;
  @Text({ optional, max: 100, description: "IANA time zone; the workspace's by default.", example: 'Asia/Kolkata' })
  timezone?: string;
  @Id({ optional, description: 'Only this channel.' }) channel_id?: string;
  @Id({ optional, description: 'Only what counts for this member. Agents may only name themselves (403).' })
  member_id?: string;
  @Choice(['csv'], { optional, description: '`csv`: the items as a file, which the audit log tells of.' })
  format?: 'csv';
}

export class DurationFiguresView implements DurationFigures {
  @Integer() count!: number;
  @Decimal({ nullable }) mean!: number | null;
  @Decimal({ nullable, description: 'The median: nearest rank, within 5 %.' }) p50!: number | null;
  @Decimal({ nullable, description: 'Nearest rank, within 5 %.' }) p90!: number | null;
}

export class RatingFiguresView implements RatingFigures {
  @Integer() count!: number;
  @Decimal({ nullable }) mean!: number | null;
  @Counts({ items: 5, description: 'How often each score was given, from 1 to 5.', example: [0, 0, 1, 4, 12] })
  scores!: number[];
}

export class FiguresView implements Figures {
  @Integer({ description: 'Conversations that began.' }) created!: number;
  @Integer({
    description: 'Times that a conversation was resolved, by whomever. A resolve that was taken back is none.',
  })
  resolved!: number;
  @Integer({ description: 'Times that a conversation was reopened.' }) reopened!: number;
  @Integer({ description: 'Messages of contacts.' }) messages_in!: number;
  @Integer({ description: 'Public messages of members.' }) messages_out!: number;
  @Integer({ description: 'Public messages of bots, and automatic ones.' }) bot_messages!: number;
  @Integer({ description: 'Those of `resolved` by a bot.' }) bot_resolved!: number;
  @Nested(() => DurationFiguresView, {
    description: 'Seconds that a contact waited for the first answer of a person. Counts when the answer was given.',
  })
  first_response!: DurationFiguresView;
  @Nested(() => DurationFiguresView, { description: 'The same within business hours.' })
  first_response_business!: DurationFiguresView;
  @Nested(() => DurationFiguresView, {
    description: 'Seconds from the last opening of a conversation to its resolve, except by a bot.',
  })
  resolution!: DurationFiguresView;
  @Nested(() => DurationFiguresView, { description: 'The same within business hours.' })
  resolution_business!: DurationFiguresView;
  @Nested(() => RatingFiguresView, { description: 'The last rating of each conversation.' }) csat!: RatingFiguresView;
}

export class ConversationsReportItemView extends FiguresView {
  @Time({ description: 'Begin of the bucket, which ends where the next one begins.' }) at!: string;
}

export class MembersReportItemView extends FiguresView {
  @Id() member_id!: string;
  @Text({ example: 'Ada Agent' }) name!: string;
}

export class ChannelsReportItemView extends FiguresView {
  @Id() channel_id!: string;
  @Text({ example: 'Website' }) name!: string;
}

export class TagsReportItemView extends FiguresView {
  @Text({ example: 'vip' }) tag!: string;
}

class ReportView {
  @Time() from!: string;
  @Time() to!: string;
  @Choice(INTERVALS) interval!: Interval;
  @Text({ example: 'Europe/Berlin' }) timezone!: string;
  @Nested(() => FiguresView) totals!: FiguresView;
}

export class ConversationsReportView extends ReportView implements Report<'conversations'> {
  @NestedList(() => ConversationsReportItemView, { maxItems }) items!: ConversationsReportItemView[];
}

export class MembersReportView extends ReportView implements Report<'members'> {
  @NestedList(() => MembersReportItemView, { maxItems }) items!: MembersReportItemView[];
}

export class ChannelsReportView extends ReportView implements Report<'channels'> {
  @NestedList(() => ChannelsReportItemView, { maxItems }) items!: ChannelsReportItemView[];
}

export class TagsReportView extends ReportView implements Report<'tags'> {
  @NestedList(() => TagsReportItemView, { maxItems }) items!: TagsReportItemView[];
}

export class ReportFileView implements ReportFile {
  @Choice(['csv']) format!: 'csv';
  @Text({ max: 10_000_000, description: 'RFC 4180, in UTF-8.', example: 'at,created,resolved\r\n' }) content!: string;
  @Text({ example: 'conversations-2026-01-01-2026-01-31.csv' }) filename!: string;
}

export class LiveMemberView implements LiveMember {
  @Id() member_id!: string;
  @Text({ example: 'Ada Agent' }) name!: string;
  @Choice(AVAILABILITIES, { description: 'As the member has set it.' }) availability!: LiveMember['availability'];
  @Flag({ description: 'Whether it is connected.' }) online!: boolean;
  @Integer({ description: 'Open conversations assigned to it, on all channels.' }) open!: number;
  @Integer() capacity!: number;
}

export class LiveBoardView implements LiveBoard {
  @Integer() open!: number;
  @Integer() pending!: number;
  @Integer() snoozed!: number;
  @Integer({ description: 'Open and pending ones without an assignee.' }) unassigned!: number;
  @Integer({ max: MAX_WAITING, description: 'Those whose contact waits for an answer. Counting stops at 10,000.' })
  waiting!: number;
  @Integer({ nullable, description: 'Null if no contact waits.' }) longest_waiting_seconds!: number | null;
  @NestedList(() => LiveMemberView, { maxItems }) members!: LiveMemberView[];
}
