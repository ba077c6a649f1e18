import { formats } from './texts/index.js';

/** A day with its year, such as "12 Mar 2026". */
export function dateText(time: string): string {
  return new Date(time).toLocaleDateString(formats().locale, { dateStyle: 'medium' });
}

/** A time with its second, such as "12 Mar 2026, 14:05:09". */
export function timeText(time: string): string {
  return new Date(time).toLocaleString(formats().locale, { dateStyle: 'medium', timeStyle: 'medium' });
}
