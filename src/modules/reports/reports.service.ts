import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock, toWireTime } from '../../kernel/clock.js';
import { NIL_ID } from '../../kernel/ids.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { KeyedConcurrencyQueue } from '../../platform/database/keyed-concurrency-queue.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { Figures, Sums } from './figures.js';
import { addSums, toFigures } from './figures.js';
import type { ReportPeriod, PeriodRequest } from './report-period.js';
import { readPeriod } from './report-period.js';
import type { Period } from './report-buckets.js';
import { bucketsOf } from './report-buckets.js';
import type { ReportFile } from './report-file.js';
import { toReportFile } from './report-file.js';
import type { Report, ReportName } from './report.js';
import { assertMayReport, ownMemberOf, toReport } from './report.js';
import './reports.events.js';
import type { SummedFacts } from './reports.repository.js';
import { ReportsRepository } from './reports.repository.js';
import type { Subject } from './subjects.repository.js';
import { SubjectsRepository } from './subjects.repository.js';

/** Reports of one workspace at the same time, so that they leave connections and processor time to others. */
const LANES = 2;
/** Longest wait for a lane. */
const WAIT_MS = 5_000;

export interface ReportRequest extends PeriodRequest {
  channel_id?: string | undefined;
  member_id?: string | undefined;
}

interface FactFilters {
  channelId: string | null;
  memberId: string | null;
}

/** A checked request. */
interface Inquiry extends FactFilters {
  period: ReportPeriod;
}

/** Makes reports of the conversations that the caller's scope has. */
@Injectable()
export class ReportsService {
  private readonly lanes = new KeyedConcurrencyQueue(LANES);
  private readonly makers: { [N in ReportName]: (principal: StaffPrincipal, inquiry: Inquiry) => Promise<Report<N>> } =
    {
      conversations: (principal, inquiry) => this.reportConversations(principal, inquiry),
      members: (principal, inquiry) => this.reportMembers(principal, inquiry),
      channels: (principal, inquiry) => this.reportChannels(principal, inquiry),
      tags: (principal, inquiry) => this.reportTags(principal, inquiry),
    };

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly facts: ReportsRepository,
    private readonly subjects: SubjectsRepository,
    private readonly workspaces: WorkspacesService,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ValidationFailed @throws Forbidden for figures of a member that the caller may not see
   * @throws Unavailable when the workspace has too many reports under way
   */
  async report<N extends ReportName>(principal: StaffPrincipal, name: N, request: ReportRequest): Promise<Report<N>> {
    return this.make(principal, name, await this.check(principal, request));
  }

  /** Makes the report as a file, which the audit log tells of. @throws as `report` */
  async export(principal: StaffPrincipal, name: ReportName, request: ReportRequest): Promise<ReportFile> {
    const inquiry = await this.check(principal, request);
    const report = await this.make(principal, name, inquiry);
    const { channelId, memberId } = inquiry;
    const { from, to, interval, timezone } = report;
    await this.units.run(() =>
      this.events.record({
        type: 'report.exported',
        workspaceId: principal.workspaceId,
        actor: actorOf(principal),
        payload: { report: name, from, to, interval, timezone, channel_id: channelId, member_id: memberId },
      }),
    );
    return toReportFile(name, report);
  }

  private make<N extends ReportName>(principal: StaffPrincipal, name: N, inquiry: Inquiry): Promise<Report<N>> {
    return this.lanes.run(principal.workspaceId, WAIT_MS, () => this.makers[name](principal, inquiry));
  }

  private async check(principal: StaffPrincipal, request: ReportRequest): Promise<Inquiry> {
    const { channel_id: channelId = null, member_id: memberId = null } = request;
    assertMayReport(principal, memberId);
    const { timezone } = await this.workspaces.get(principal);
    return { period: readPeriod(request, timezone, this.clock.now()), channelId, memberId };
  }

  private async reportConversations(
    principal: StaffPrincipal,
    { period, ...filters }: Inquiry,
  ): Promise<Report<'conversations'>> {
    const buckets = bucketsOf(period, period.interval, period.timezone);
    const rows = await this.sumAll(principal, [...buckets, period], filters);
    const figures = new Map(rows.map(({ bucket, sums }) => [bucket, toFigures(sums)]));
    const figuresOf = (bucket: number) => figures.get(bucket) ?? toFigures({});
    const items = buckets.map(({ from }, bucket) => ({ at: toWireTime(new Date(from)), ...figuresOf(bucket) }));
    return toReport<'conversations'>(period, figuresOf(buckets.length), items);
  }

  private async reportMembers(
    principal: StaffPrincipal,
    { period, channelId, memberId }: Inquiry,
  ): Promise<Report<'members'>> {
    const members = await this.subjects.findMembers(principal, memberId ?? ownMemberOf(principal));
    const cells = members.map(({ id }) => ({ subjectId: id, memberId: id, tagId: null }));
    const rows = await this.facts.sum(principal, cells, [period], channelId);
    const items = figuresOf(members, rows).map(({ id, name, figures }) => ({ member_id: id, name, ...figures }));
    return toReport<'members'>(period, totalOf(rows), items);
  }

  private async reportChannels(
    principal: StaffPrincipal,
    { period, channelId, memberId }: Inquiry,
  ): Promise<Report<'channels'>> {
    const channels = await this.subjects.findChannels(principal, channelId);
    const rows = await this.facts.sumChannels(principal, memberId, [period], channelId);
    const items = figuresOf(channels, rows).map(({ id, name, figures }) => ({ channel_id: id, name, ...figures }));
    return toReport<'channels'>(period, totalOf(rows), items);
  }

  /** A conversation with two tags counts for both, so the totals are no sums of the items. */
  private async reportTags(principal: StaffPrincipal, { period, ...filters }: Inquiry): Promise<Report<'tags'>> {
    const { channelId, memberId } = filters;
    const tags = await this.subjects.findTags(principal);
    const cells = tags.flatMap(({ id, mergedIds }) =>
      [id, ...mergedIds].map(tagId => ({ subjectId: id, memberId, tagId })),
    );
    const rows = await this.facts.sum(principal, cells, [period], channelId);
    const all = await this.sumAll(principal, [period], filters);
    const items = figuresOf(tags, rows).map(({ name, figures }) => ({ tag: name, ...figures }));
    return toReport<'tags'>(period, totalOf(all), items);
  }

  private sumAll(principal: StaffPrincipal, buckets: readonly Period[], { channelId, memberId }: FactFilters) {
    const cell = { subjectId: NIL_ID, memberId, tagId: null };
    return this.facts.sum(principal, [cell], buckets, channelId);
  }
}

function totalOf(rows: readonly SummedFacts[]): Figures {
  return toFigures(addSums(rows.map(({ sums }) => sums)));
}

/** Leaves out subjects that are gone and have no facts. */
function figuresOf<S extends Subject>(
  subjects: readonly S[],
  rows: readonly SummedFacts[],
): (S & { figures: Figures })[] {
  const sums = new Map<string, Sums>(rows.map(row => [row.subjectId, row.sums]));
  return subjects
    .filter(({ id, isGone }) => !isGone || sums.has(id))
    .map(subject => ({ ...subject, figures: toFigures(sums.get(subject.id) ?? {}) }));
}
