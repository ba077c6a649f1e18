const DAY_MS = 24 * 3_600_000;

/** The current time of the service. Tests replace it; rows take their times from the database. */
export abstract class Clock {
  abstract now(): Date;

  daysAgo(days: number): Date {
    return new Date(this.now().getTime() - days * DAY_MS);
  }
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** Formats a time as ISO 8601 UTC with six fractional digits, the only form on the wire. Rows store milliseconds. */
export function toWireTime(date: Date): string {
  return `${date.toISOString().slice(0, -1)}000Z`;
}

export function toWireTimeOrNull(date: Date | null): string | null {
  return date === null ? null : toWireTime(date);
}

/** The reverse of `toWireTimeOrNull`. */
export function fromWireTimeOrNull(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

/** Returns the current time with real microseconds. */
export function nowWireTime(): string {
  const micros = Math.floor((performance.timeOrigin + performance.now()) * 1000);
  const millis = Math.floor(micros / 1000);
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros - millis * 1000).padStart(3, '0')}Z`;
}
