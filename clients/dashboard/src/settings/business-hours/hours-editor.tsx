import type { BusinessHours } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Choice } from '../../parts/choice.js';
import './business-hours.css';
import { Holidays } from './holidays.js';
import { dayName, DAYS, usualHours } from './hours.js';
import { Spans } from './spans.js';
import { t } from './texts/index.js';

const WORKDAYS = DAYS.slice(0, 5);

export interface HoursEditorProps {
  /** Null is always open. */
  value: BusinessHours | null;
  onChange(value: BusinessHours | null): void;
  /** Name of the choice for null. Default "Always open". */
  nullName?: string;
}

/** Edits opening hours: spans of each weekday, also past midnight, and holidays. */
export function HoursEditor({ value, onChange, nullName = t('always') }: HoursEditorProps) {
  const options = [
    { value: 'always', name: nullName },
    { value: 'scheduled', name: t('scheduled') },
  ];
  return (
    <div class="hours">
      <Choice
        label={t('mode')}
        name="hours-mode"
        value={value ? 'scheduled' : 'always'}
        options={options}
        onChange={mode => onChange(mode === 'always' ? null : usualHours())}
      />
      {value && (
        <>
          {DAYS.map(day => (
            <div key={day} class="day" role="group" aria-label={dayName(day)}>
              <span class="day-name" aria-hidden="true">
                {dayName(day)}
              </span>
              <Spans
                day={dayName(day)}
                spans={value[day] ?? []}
                onChange={spans => onChange({ ...value, [day]: spans })}
              />
              {day === 'mon' && (
                <Button
                  look="quiet"
                  isSmall
                  onClick={() =>
                    onChange({ ...value, ...Object.fromEntries(WORKDAYS.map(each => [each, value.mon ?? []])) })
                  }
                >
                  {t('copyDay')}
                </Button>
              )}
            </div>
          ))}
          <Holidays holidays={value.holidays ?? []} onChange={holidays => onChange({ ...value, holidays })} />
        </>
      )}
    </div>
  );
}
