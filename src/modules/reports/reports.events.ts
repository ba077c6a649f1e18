import type { EventDefinitions } from '../../kernel/event-definition.js';
import { NOT_SENT } from '../../kernel/event-definition.js';
import type { Interval } from './report-buckets.js';
import type { ReportName } from './report.js';

interface ReportExported {
  report: ReportName;
  from: string;
  to: string;
  interval: Interval;
  timezone: string;
  channel_id: string | null;
  member_id: string | null;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'report.exported': ReportExported;
  }
}

export const REPORT_EVENTS: EventDefinitions<'report.exported'> = {
  'report.exported': {
    summary: 'An agent or an API key read a report as a file.',
    ...NOT_SENT,
    audit: () => ({ type: 'report', id: null }),
    personal: 'none',
  },
};
