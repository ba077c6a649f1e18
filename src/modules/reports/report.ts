import { toWireTime } from '../../kernel/clock.js';
import { Forbidden } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { rank } from '../../kernel/principal.js';
import type { Figures } from './figures.js';
import type { Interval } from './report-buckets.js';
import type { ReportPeriod } from './report-period.js';

export const REPORTS = ['conversations', 'members', 'channels', 'tags'] as const;
export type ReportName = (typeof REPORTS)[number];
/** The live board counts no more conversations whose contact waits, so that a desk under attack costs no more. */
export const MAX_WAITING = 10_000;

/** The fields that name the subject of an item. */
export interface ItemKeys {
  conversations: { at: string };
  members: { member_id: string; name: string };
  channels: { channel_id: string; name: string };
  tags: { tag: string };
}

export interface Report<N extends ReportName = ReportName> {
  from: string;
  to: string;
  interval: Interval;
  timezone: string;
  totals: Figures;
  items: (ItemKeys[N] & Figures)[];
}

export function toReport<N extends ReportName>(
  { from, to, interval, timezone }: ReportPeriod,
  totals: Figures,
  items: Report<N>['items'],
): Report<N> {
  return { from: toWireTime(new Date(from)), to: toWireTime(new Date(to)), interval, timezone, totals, items };
}

/** The member whose figures alone the caller may see; null for admins of all channels and keys, who see everybody's. */
export function ownMemberOf(principal: StaffPrincipal): string | null {
  if (principal.kind !== 'agent') return null;
  return principal.scope === null && rank(principal.role) >= rank('admin') ? null : principal.memberId;
}

/** @throws Forbidden if the caller may not see the figures of this member */
export function assertMayReport(principal: StaffPrincipal, memberId: string | null): void {
  const own = ownMemberOf(principal);
  if (memberId !== null && own !== null && memberId !== own) throw new Forbidden();
}
