import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, JsonColumn, KeyColumn, TimeColumn } from '../../platform/database/columns.js';
import type { Act, Span } from './fact.js';

const KEY = 'pk_report_fact';
const TOTAL_KEY = 'pk_report_total';

function Count(name: string): PropertyDecorator {
  return Column({ name, type: 'integer', default: 0 });
}
function Sum(name: string): PropertyDecorator {
  return Column({ name, type: 'bigint', default: 0 });
}
function Histogram(name: string): PropertyDecorator {
  return Column({ name, type: 'numeric', default: 0 });
}

/** Sums over a quarter of an hour, an hour, six hours or a day. The longer ones have rows once they are over. */
abstract class Sums {
  @Count('created') created!: number;
  @Count('resolved') resolved!: number;
  @Count('reopened') reopened!: number;
  @Count('messages_in') messagesIn!: number;
  @Count('messages_out') messagesOut!: number;
  @Count('bot_messages') botMessages!: number;
  @Count('bot_resolved') botResolved!: number;
  @Count('csat_1') csat1!: number;
  @Count('csat_2') csat2!: number;
  @Count('csat_3') csat3!: number;
  @Count('csat_4') csat4!: number;
  @Count('csat_5') csat5!: number;
  @Count('first_response_count') firstResponseCount!: number;
  @Count('resolution_count') resolutionCount!: number;
  @Sum('first_response_ms') firstResponseMs!: string;
  @Sum('first_response_business_ms') firstResponseBusinessMs!: string;
  @Sum('resolution_ms') resolutionMs!: string;
  @Sum('resolution_business_ms') resolutionBusinessMs!: string;
  @Histogram('first_response_bins') firstResponseBins!: string;
  @Histogram('first_response_business_bins') firstResponseBusinessBins!: string;
  @Histogram('resolution_bins') resolutionBins!: string;
  @Histogram('resolution_business_bins') resolutionBusinessBins!: string;
}

/** Sums of a channel: of all, a member, a tag, or a member and a tag. */
@Entity({ name: 'report_fact' })
@Check('ck_report_fact_span', `"span" IN (15, 60, 360, 1440)`)
@Index('ix_report_fact_quarter', ['at'], { where: 'span = 15' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_report_fact_workspace', onDelete: 'CASCADE' })
export class ReportFactEntity extends Sums {
  @KeyColumn('workspace_id', KEY) workspaceId!: string;
  /** All zeros in facts that are not of a member, because a key column cannot be null. */
  @KeyColumn('member_id', KEY) memberId!: string;
  /** All zeros in facts that are not of a tag. */
  @KeyColumn('tag_id', KEY) tagId!: string;
  /** Minutes. */
  @PrimaryColumn({ name: 'span', type: 'smallint', primaryKeyConstraintName: KEY }) span!: Span;
  @PrimaryColumn({ name: 'at', type: 'timestamptz', precision: 3, primaryKeyConstraintName: KEY }) at!: Date;
  @KeyColumn('channel_id', KEY) channelId!: string;
}

/** The facts of all channels together. Triggers of `report_fact` keep them. */
@Entity({ name: 'report_total' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_report_total_workspace', onDelete: 'CASCADE' })
export class ReportTotalEntity extends Sums {
  @KeyColumn('workspace_id', TOTAL_KEY) workspaceId!: string;
  @KeyColumn('member_id', TOTAL_KEY) memberId!: string;
  @KeyColumn('tag_id', TOTAL_KEY) tagId!: string;
  @PrimaryColumn({ name: 'span', type: 'smallint', primaryKeyConstraintName: TOTAL_KEY }) span!: Span;
  @PrimaryColumn({ name: 'at', type: 'timestamptz', precision: 3, primaryKeyConstraintName: TOTAL_KEY }) at!: Date;
}

/** The last resolve and the last rating of a conversation, as counted, so that they can be taken back. */
@Entity({ name: 'report_outcome' })
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ['workspaceId', 'id'], {
  name: 'fk_report_outcome_conversation',
  onDelete: 'CASCADE',
})
export class ReportOutcomeEntity {
  @KeyColumn('workspace_id', 'pk_report_outcome') workspaceId!: string;
  @KeyColumn('conversation_id', 'pk_report_outcome') conversationId!: string;
  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: 'pk_report_outcome' })
  kind!: 'resolved' | 'rated';
  /** The timeline entry of a resolve; null for a rating. */
  @IdColumn('message_id', { nullable: true }) messageId!: string | null;
  @JsonColumn('act') act!: Act;
}

/** A tag that was merged into another one, which has its facts. */
@Entity({ name: 'report_merged_tag' })
@Index('ix_report_merged_tag_into', ['workspaceId', 'intoId'])
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_report_merged_tag_workspace', onDelete: 'CASCADE' })
export class ReportMergedTagEntity {
  @KeyColumn('workspace_id', 'pk_report_merged_tag') workspaceId!: string;
  @KeyColumn('tag_id', 'pk_report_merged_tag') tagId!: string;
  @IdColumn('into_id') intoId!: string;
}

/** How far facts are counted. */
@Entity({ name: 'report_state' })
@Check('ck_report_state_one', `"one"`)
export class ReportStateEntity {
  @PrimaryColumn({ name: 'one', type: 'boolean', default: true, primaryKeyConstraintName: 'pk_report_state' })
  one!: boolean;
  /** From when on the event log is counted. What is older is counted from the tables. */
  @TimeColumn('counted_from') countedFrom!: Date;
  /** True once each workspace of before has a row in `report_backfill`. */
  @Column({ name: 'queued', type: 'boolean' }) queued!: boolean;
  /** Begin of an hour. Hours and days that end at it or before have rows. */
  @TimeColumn('summed_until') summedUntil!: Date;
}

/** A workspace whose earlier conversations are being counted. */
@Entity({ name: 'report_backfill' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_report_backfill_workspace', onDelete: 'CASCADE' })
export class ReportBackfillEntity {
  @KeyColumn('workspace_id', 'pk_report_backfill') workspaceId!: string;
  /** The last conversation counted. */
  @IdColumn('after_id') afterId!: string;
  /** The backfill begins when all transactions with ids below this one have ended. */
  @Column({ name: 'barrier', type: 'bigint' }) barrier!: string;
  @TimeColumn('queued_at') queuedAt!: Date;
}
