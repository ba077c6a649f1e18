import type { BusinessHours } from '@support-chat/sdk';
import { Facts } from '../screen.js';
import { dayName, DAYS, isOvernight, type Span } from './hours.js';
import { formats, t } from './texts/index.js';

/** Opening hours to read. */
export function HoursText({ value }: { value: BusinessHours | null }) {
  if (!value) return <p>{t('always')}</p>;
  const holidays = value.holidays ?? [];
  return (
    <Facts
      facts={[
        ...DAYS.map(day => [dayName(day), describeSpans(value[day] ?? [])] as const),
        ...holidays.map(
          ({ date, name, hours = [] }) => [name ? `${name}, ${date}` : date, describeSpans(hours)] as const,
        ),
      ]}
    />
  );
}

function describeSpans(spans: readonly Span[]): string {
  if (spans.length === 0) return t('closed');
  return formats().list(
    spans.map(span => `${span.from} ${t('until')} ${span.to}${isOvernight(span) ? ` (${t('nextDay')})` : ''}`),
  );
}
