import type { InboxText } from './texts/index.js';

const HOUR_MS = 3_600_000;
const MORNING = 9;
const MONDAY = 1;

/** Times that are offered for a snooze, in the member's time zone. */
export function snoozeTimes(now: Date): { name: InboxText; at: Date }[] {
  return [
    { name: 'inOneHour', at: new Date(now.getTime() + HOUR_MS) },
    { name: 'laterToday', at: new Date(now.getTime() + 3 * HOUR_MS) },
    { name: 'tomorrow', at: morningIn(now, 1) },
    { name: 'nextWeek', at: morningIn(now, (MONDAY - now.getDay() + 7) % 7 || 7) },
  ];
}

function morningIn(now: Date, days: number): Date {
  const at = new Date(now);
  at.setDate(at.getDate() + days);
  at.setHours(MORNING, 0, 0, 0);
  return at;
}
