import type { ListAuditLogQuery } from '@support-chat/sdk';
import { addDays, isDate, startOfDay } from '../local-days.js';

/** The filters in the address of the audit log. */
export interface AuditFilters {
  /** E.g. `api_key.created`, or `api_key.*`. */
  action?: string | undefined;
  /** Id of a member or an API key. */
  actor?: string | undefined;
  /** First and last day, as `YYYY-MM-DD`. */
  from?: string | undefined;
  to?: string | undefined;
}

export function readAuditFilters(search: string): AuditFilters {
  const query = new URLSearchParams(search);
  const day = (name: string) => {
    const value = query.get(name) ?? undefined;
    return isDate(value) ? value : undefined;
  };
  return {
    action: query.get('action') || undefined,
    actor: query.get('actor') || undefined,
    from: day('from'),
    to: day('to'),
  };
}

/** @returns query with its `?`; empty without filters */
export function writeAuditFilters(filters: AuditFilters): string {
  const entries = Object.entries(filters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(entries).toString();
  return query && `?${query}`;
}

/** Whole days in the time zone of the workspace. */
export function queryOf({ action, actor, from, to }: AuditFilters, timezone: string): ListAuditLogQuery {
  return {
    ...(action && { action }),
    ...(actor && { actor_id: actor }),
    ...(from && { since: new Date(startOfDay(from, timezone)).toISOString() }),
    ...(to && { until: new Date(startOfDay(addDays(to, 1), timezone)).toISOString() }),
  };
}
