import { isTimezone } from './business-hours.js';

/** Formats times for people to read, in one language and time zone. */
export interface TimeDisplay {
  timezone: string;
  format(time: Date): string;
}

/** Falls back to English and UTC. @param locales in order of preference; null and unknown ones are skipped */
export function timeDisplay(locales: readonly (string | null)[], timezone: string | null): TimeDisplay {
  const timeZone = timezone !== null && isTimezone(timezone) ? timezone : 'UTC';
  const formatter = new Intl.DateTimeFormat([...locales.filter(isLocale), 'en'], {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  });
  return { timezone: timeZone, format: time => formatter.format(time) };
}

function isLocale(locale: string | null): locale is string {
  if (locale === null) return false;
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    return false;
  }
}
