const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Fewer answers are no typical reply time. */
const MIN_ANSWERS = 10;

/** Values that visitors are told, in seconds. */
export const REPLY_STEPS = [1, 5, 15, 30, 60, 120, 240, 480, 24 * 60].map(minutes => minutes * MINUTE);
/** Answers of these days count. */
export const REPLY_DAYS = 7;

/**
 * Returns the median wait, rounded up to the next step: a visitor is told a time within which half of the answers came.
 * @param waits in seconds
 * @returns null for fewer than ten answers
 */
export function typicalReplySeconds(waits: readonly number[]): number | null {
  if (waits.length < MIN_ANSWERS) return null;
  const sorted = [...waits].sort((one, other) => one - other);
  const [below = 0, above = 0] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  const median = (below + above) / 2;
  return REPLY_STEPS.find(step => median <= step) ?? 24 * HOUR;
}
