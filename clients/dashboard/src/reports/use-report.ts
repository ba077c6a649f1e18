import type { ReportQuery } from '@support-chat/sdk';
import { useMemo } from 'preact/hooks';
import { useLoaded, type Loaded } from '../parts/use-loaded.js';
import { useSession } from '../session-context.js';
import type { Filters } from './filters.js';
import type { ReportKind } from './figures.js';
import { periodOf, type Period, type PeriodFault } from './period.js';

export interface UsedReport<Report> extends Loaded<Report> {
  /** Undefined if the filters are at fault. */
  period?: Period | undefined;
  fault?: PeriodFault | undefined;
  /** Undefined if the filters are at fault. */
  query?: ReportQuery | undefined;
}

/** Loads a report for the filters of the address. Its time ends at the moment when the filters were chosen. */
export function useReport<Report>(
  kind: ReportKind,
  filters: Filters,
  load: (query: ReportQuery) => Promise<Report>,
): UsedReport<Report> {
  const { timezone } = useSession().me.workspace;
  const read = useMemo(() => periodOf(filters, timezone, Date.now()), [filters, timezone]);
  const period = typeof read === 'string' ? undefined : read;
  const query = period && queryOf(kind, filters, period);
  const loaded = useLoaded(query && (() => load(query)), JSON.stringify(query ?? read));
  return { ...loaded, period, query, fault: typeof read === 'string' ? read : undefined };
}

/** The report on members is about all of them. */
function queryOf(kind: ReportKind, { channel, member }: Filters, period: Period): ReportQuery {
  return {
    ...period,
    ...(channel && { channel_id: channel }),
    ...(member && kind !== 'members' && { member_id: member }),
  };
}
