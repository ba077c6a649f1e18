import type { BusinessHours } from '@support-chat/sdk';
import { formats } from './texts/index.js';

export type Span = NonNullable<BusinessHours['mon']>[number];
export type Holiday = NonNullable<BusinessHours['holidays']>[number];

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

const MIDNIGHT = '00:00';
const END_OF_DAY = '24:00';

/** A Monday. */
const FIRST_DAY = 1;

/** Name of a weekday in the language of the dashboard. */
export function dayName(day: Day): string {
  const date = new Date(2024, 0, FIRST_DAY + DAYS.indexOf(day), 12);
  return formats().weekday(date.toISOString());
}

/** Open from Monday to Friday. */
export function usualHours(): BusinessHours {
  const span = { from: '09:00', to: '17:00' };
  return { mon: [span], tue: [span], wed: [span], thu: [span], fri: [span] };
}

/** A field of a time has no 24:00, which is the midnight at which a span ends. */
export const toField = (time: string): string => (time === END_OF_DAY ? MIDNIGHT : time);

export function fromField(span: Span): Span {
  const { from, to } = span;
  return from === MIDNIGHT && to === MIDNIGHT ? { from, to: END_OF_DAY } : span;
}

/** Ends on the day after the one on which it begins. */
export const isOvernight = ({ from, to }: Span): boolean => to < from && to !== MIDNIGHT;

/** The fault that the service would refuse, as the key of its text. */
export function faultOf(hours: BusinessHours | null): 'sameTimes' | 'dateMissing' | undefined {
  if (!hours) return undefined;
  const holidays = hours.holidays ?? [];
  const spans = [...DAYS.flatMap(day => hours[day] ?? []), ...holidays.flatMap(each => each.hours ?? [])];
  if (spans.some(({ from, to }) => from === to || !from || !to)) return 'sameTimes';
  return holidays.some(({ date }) => !date) ? 'dateMissing' : undefined;
}
