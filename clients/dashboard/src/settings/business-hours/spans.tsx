import { Button } from '../../parts/button.js';
import { fromField, isOvernight, toField, type Span } from './hours.js';
import { t } from './texts/index.js';

const NEW_SPAN: Span = { from: '09:00', to: '17:00' };
const MAX_SPANS = 10;

export interface SpansProps {
  /** Weekday or date, for the names of the fields. */
  day: string;
  spans: readonly Span[];
  onChange(spans: Span[]): void;
}

/** The spans of a day. Without any it is closed. */
export function Spans({ day, spans, onChange }: SpansProps) {
  const change = (index: number, part: Partial<Span>) =>
    onChange(
      spans.map((span, at) => (at === index ? fromField({ from: span.from, to: toField(span.to), ...part }) : span)),
    );
  return (
    <div class="spans">
      {spans.length === 0 && <span class="closed">{t('closed')}</span>}
      {spans.map((span, index) => (
        <div key={index} class="span">
          <input
            type="time"
            aria-label={t('from', { day })}
            value={span.from}
            required
            onChange={event => change(index, { from: event.currentTarget.value })}
          />
          <span aria-hidden="true">{t('until')}</span>
          <input
            type="time"
            aria-label={t('to', { day })}
            value={toField(span.to)}
            required
            onChange={event => change(index, { to: event.currentTarget.value })}
          />
          {isOvernight(span) && <span class="closed">{t('nextDay')}</span>}
          <button
            class="remove"
            type="button"
            aria-label={t('removeSpan', { day, from: span.from, to: toField(span.to) })}
            onClick={() => onChange(spans.filter((_, at) => at !== index))}
          >
            ×
          </button>
        </div>
      ))}
      {spans.length < MAX_SPANS && (
        <Button look="quiet" isSmall name={t('addSpanTo', { day })} onClick={() => onChange([...spans, NEW_SPAN])}>
          {t('addSpan')}
        </Button>
      )}
    </div>
  );
}
