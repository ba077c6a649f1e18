import { NIL_ID } from '../../kernel/ids.js';
import { histogramOf } from './duration-bins.js';

/** Lengths of the periods that facts are summed up over, in minutes, in UTC. */
export const SPANS = [15, 60, 360, 1_440] as const;
export type Span = (typeof SPANS)[number];

export const EVENT_COUNTS = [
  'created',
  'resolved',
  'reopened',
  'messages_in',
  'messages_out',
  'bot_messages',
  'bot_resolved',
] as const;
export const SCORES = ['csat_1', 'csat_2', 'csat_3', 'csat_4', 'csat_5'] as const;
export const DURATIONS = ['first_response', 'resolution'] as const;
const COUNTS = [...EVENT_COUNTS, ...SCORES, ...DURATIONS.map(name => `${name}_count` as const)] as const;
const SUMS = DURATIONS.flatMap(name => [`${name}_ms`, `${name}_business_ms`] as const);
const HISTOGRAMS = DURATIONS.flatMap(name => [`${name}_bins`, `${name}_business_bins`] as const);

/** The columns of a fact that are added up, with their types. */
export const MEASURES: readonly { name: string; type: 'integer' | 'bigint' | 'numeric' }[] = [
  ...COUNTS.map(name => ({ name, type: 'integer' as const })),
  ...SUMS.map(name => ({ name, type: 'bigint' as const })),
  ...HISTOGRAMS.map(name => ({ name, type: 'numeric' as const })),
];

export type DurationName = (typeof DURATIONS)[number];

/** An act that reports count, except plain messages. */
export interface Act {
  workspaceId: string;
  channelId: string;
  /** The member whom it counts for, besides the channel. */
  memberId: string | null;
  tagIds: readonly string[];
  at: Date;
  counts: readonly ((typeof EVENT_COUNTS)[number] | (typeof SCORES)[number])[];
  duration?: { name: DurationName; ms: number; businessMs: number };
}

/** Changes of one fact, by column. */
export type FactChange = Record<string, string | number>;

/** @param sign -1 takes an act back that was counted */
export function toChanges(act: Act, sign: 1 | -1): FactChange[] {
  const measures = { ...countsOf(act, sign), ...durationOf(act, sign) };
  const { workspaceId: workspace_id, channelId: channel_id, at } = act;
  return cellsOf(act).map(cell => ({ workspace_id, channel_id, at: at.toISOString(), ...cell, ...measures }));
}

/** Returns the facts of all, of the member, of each tag, and of the member and each tag. */
function cellsOf({ memberId, tagIds }: Act): { member_id: string; tag_id: string }[] {
  const members = memberId === null ? [NIL_ID] : [NIL_ID, memberId];
  return members.flatMap(member_id => [NIL_ID, ...tagIds].map(tag_id => ({ member_id, tag_id })));
}

function countsOf({ counts }: Act, sign: 1 | -1): Record<string, number> {
  return Object.fromEntries(counts.map(name => [name, sign]));
}

function durationOf({ duration }: Act, sign: 1 | -1): Record<string, string | number> {
  if (!duration) return {};
  const { name, ms, businessMs } = duration;
  const minus = sign === 1 ? '' : '-';
  return {
    [`${name}_count`]: sign,
    [`${name}_ms`]: sign * ms,
    [`${name}_business_ms`]: sign * businessMs,
    [`${name}_bins`]: minus + histogramOf(ms),
    [`${name}_business_bins`]: minus + histogramOf(businessMs),
  };
}
