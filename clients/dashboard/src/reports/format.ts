import { splitDuration } from './duration.js';
import { formats, t } from './texts/index.js';

/** Stands for a figure that does not exist, such as the mean of nothing. */
export const NONE = '–';

export function formatCount(count: number): string {
  return count.toLocaleString(formats().locale);
}

/** @param seconds null: nothing was measured */
export function formatDuration(seconds: number | null): string {
  if (seconds === null) return NONE;
  if (seconds > 0 && seconds < 1) return t('underSecond');
  return splitDuration(seconds)
    .map(({ unit, value }) => t(unit, { value }))
    .join(' ');
}

/** @param mean of ratings from 1 to 5; null: nobody rated */
export function formatRating(mean: number | null): string {
  if (mean === null) return NONE;
  return mean.toLocaleString(formats().locale, { minimumFractionDigits: 1, maximumFractionDigits: 2 });
}

/** @returns a share such as "12 %" */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return NONE;
  return (part / whole).toLocaleString(formats().locale, { style: 'percent', maximumFractionDigits: 0 });
}
