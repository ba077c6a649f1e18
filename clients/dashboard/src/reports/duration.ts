const UNITS = [
  { unit: 'days', seconds: 86_400 },
  { unit: 'hours', seconds: 3_600 },
  { unit: 'minutes', seconds: 60 },
  { unit: 'seconds', seconds: 1 },
] as const;

export interface DurationPart {
  unit: (typeof UNITS)[number]['unit'];
  value: number;
}

/**
 * Splits a duration into its two largest units, rounded to the smaller one: 3,725 seconds are 1 hour and 2 minutes. Zero
 * parts are left out, except for zero itself.
 */
export function splitDuration(seconds: number): DurationPart[] {
  const whole = Math.round(seconds);
  const first = UNITS.findIndex(unit => whole >= unit.seconds);
  const smaller = UNITS[first === -1 ? UNITS.length - 1 : Math.min(first + 1, UNITS.length - 1)]!;
  let rest = Math.round(whole / smaller.seconds) * smaller.seconds;
  const parts: DurationPart[] = [];
  for (const { unit, seconds: length } of UNITS) {
    const value = Math.floor(rest / length);
    rest -= value * length;
    if (value > 0) parts.push({ unit, value });
  }
  return parts.length > 0 ? parts : [{ unit: 'seconds', value: 0 }];
}
