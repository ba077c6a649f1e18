import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../../kernel/ids.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import type { Statement } from '../../platform/database/sql.service.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { isVisible, visibilityOf } from '../../platform/database/visibility.js';
import { MEASURES } from './fact.js';
import { SUMMED_UNTIL } from './facts.repository.js';
import type { Sums } from './figures.js';
import type { Period } from './report-buckets.js';
import { spansOf } from './report-buckets.js';

const CALLER = { workspace: '$1', contact: '$2::uuid', channels: '$3::uuid[]' };
const FACTS = {
  table: 'report_fact',
  isVisible: `${isVisible({ workspace: 'fact.workspace_id', channel: 'fact.channel_id' }, CALLER)}
    AND ($11::uuid IS NULL OR fact.channel_id = $11)`,
};
/** Facts of all channels together, for callers who see all channels and ask for all. */
const TOTALS = {
  table: 'report_total',
  isVisible: `${isVisible({ workspace: 'fact.workspace_id' }, CALLER)} AND $3::uuid[] IS NULL AND $11::uuid IS NULL`,
};

/**
 * Each bucket reads whole days from the rows of days, and shorter spans at its ends. Each range of each subject is read
 * from the primary key and summed by itself: PostgreSQL would otherwise compare all ranges with all facts.
 */
const sumBy = (subjectId: 'cell.subject_id' | 'fact.channel_id', facts: typeof FACTS) =>
  statement(`
    SELECT bucket, summed.subject_id, ${MEASURES.map(({ name }) => `sum(${name})::text AS ${name}`).join(', ')}
    FROM unnest($4::uuid[], $5::uuid[], $6::uuid[]) AS cell (subject_id, member_id, tag_id)
    CROSS JOIN unnest($7::int[], $8::int[], $9::timestamptz[], $10::timestamptz[]) AS range (bucket, span, since, until)
    CROSS JOIN LATERAL (
      SELECT ${subjectId} AS subject_id, ${MEASURES.map(({ name }) => `sum(fact.${name}) AS ${name}`).join(', ')}
      FROM ${facts.table} AS fact
      WHERE ${facts.isVisible} AND fact.member_id = cell.member_id AND fact.tag_id = cell.tag_id
        AND fact.span = range.span AND fact.at >= range.since AND fact.at < range.until
      GROUP BY 1
    ) AS summed
    GROUP BY 1, 2`);
const BY_CELL = sumBy('cell.subject_id', FACTS);
const BY_CELL_IN_ALL = sumBy('cell.subject_id', TOTALS);
const BY_CHANNEL = sumBy('fact.channel_id', FACTS);
const FIND_SUMMED_UNTIL = statement(`SELECT ${SUMMED_UNTIL} AS at`);

/** The facts that a subject of a report has: those of a member, of a tag, of both, or of all. */
export interface Cell {
  subjectId: string;
  memberId: string | null;
  tagId: string | null;
}

/** The sums of a bucket and a subject. */
export interface SummedFacts {
  /** Its place among the buckets. */
  bucket: number;
  subjectId: string;
  sums: Sums;
}

/** Reads the sums that reports are made of. */
@Injectable()
export class ReportsRepository {
  constructor(private readonly sql: SqlService) {}

  /**
   * @param channelId null for all channels that the caller sees
   * @returns the sums of each bucket and subject that has any
   */
  async sum(
    principal: StaffPrincipal,
    cells: readonly Cell[],
    buckets: readonly Period[],
    channelId: string | null,
  ): Promise<SummedFacts[]> {
    const seesAll = visibilityOf(principal).channels === null && channelId === null;
    return this.read(seesAll ? BY_CELL_IN_ALL : BY_CELL, principal, cells, buckets, channelId);
  }

  /** Like `sum`. The subjects are channels. @param memberId null for all */
  async sumChannels(
    principal: StaffPrincipal,
    memberId: string | null,
    buckets: readonly Period[],
    channelId: string | null,
  ): Promise<SummedFacts[]> {
    return this.read(BY_CHANNEL, principal, [{ subjectId: NIL_ID, memberId, tagId: null }], buckets, channelId);
  }

  private async read(
    by: Statement,
    principal: StaffPrincipal,
    cells: readonly Cell[],
    buckets: readonly Period[],
    channelId: string | null,
  ): Promise<SummedFacts[]> {
    const { workspaceId, contactId, channels } = visibilityOf(principal);
    const summed = await this.sql.first<{ at: Date }>(FIND_SUMMED_UNTIL);
    const summedUntil = summed?.at.getTime() ?? 0;
    const spans = buckets.flatMap((period, bucket) => spansOf(period, summedUntil).map(span => ({ bucket, ...span })));
    const rows = await this.sql.rows<Sums & { bucket: string; subject_id: string }>(by, [
      workspaceId,
      contactId,
      channels,
      cells.map(({ subjectId }) => subjectId),
      cells.map(({ memberId }) => memberId ?? NIL_ID),
      cells.map(({ tagId }) => tagId ?? NIL_ID),
      spans.map(({ bucket }) => bucket),
      spans.map(({ span }) => span),
      spans.map(({ from }) => new Date(from)),
      spans.map(({ to }) => new Date(to)),
      channelId,
    ]);
    return rows.map(({ bucket, subject_id: subjectId, ...sums }) => ({ bucket: Number(bucket), subjectId, sums }));
  }
}
