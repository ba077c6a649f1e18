import { Button } from '../../parts/button.js';
import type { Holiday } from './hours.js';
import { Spans } from './spans.js';
import { t } from './texts/index.js';

const MAX_HOLIDAYS = 100;

/** Dates that replace the hours of their weekday. */
export function Holidays({ holidays, onChange }: { holidays: readonly Holiday[]; onChange(value: Holiday[]): void }) {
  const change = (index: number, part: Partial<Holiday>) =>
    onChange(holidays.map((holiday, at) => (at === index ? { ...holiday, ...part } : holiday)));
  return (
    <div class="holidays" role="group" aria-label={t('holidays')}>
      <h3>{t('holidays')}</h3>
      <p class="intro">{t('holidaysHint')}</p>
      {holidays.map((holiday, index) => {
        const count = index + 1;
        return (
          <div key={index} class="holiday">
            <input
              type="date"
              aria-label={t('holidayDate', { count })}
              value={holiday.date}
              required
              onChange={event => change(index, { date: event.currentTarget.value })}
            />
            <input
              class="holiday-name"
              type="text"
              dir="auto"
              maxLength={200}
              aria-label={t('holidayName', { count })}
              value={holiday.name ?? ''}
              onInput={event => change(index, { name: event.currentTarget.value })}
            />
            <Spans
              day={holiday.date || t('holiday', { count })}
              spans={holiday.hours ?? []}
              onChange={hours => change(index, { hours })}
            />
            <button
              class="remove"
              type="button"
              aria-label={t('removeHoliday', { count })}
              onClick={() => onChange(holidays.filter((_, at) => at !== index))}
            >
              ×
            </button>
          </div>
        );
      })}
      {holidays.length < MAX_HOLIDAYS && (
        <div>
          <Button look="quiet" isSmall onClick={() => onChange([...holidays, { date: '', name: '' }])}>
            {t('addHoliday')}
          </Button>
        </div>
      )}
    </div>
  );
}
