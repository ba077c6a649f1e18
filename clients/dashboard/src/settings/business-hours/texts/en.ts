import type { Entry } from '@support-chat/ui/translator.js';

export const en = {
  mode: 'When are you open',
  always: 'Always open',
  scheduled: 'At set hours',
  from: '{day}, from',
  to: '{day}, to',
  until: 'to',
  nextDay: 'next day',
  closed: 'Closed',
  addSpan: 'Add hours',
  addSpanTo: 'Add hours: {day}',
  removeSpan: 'Remove {day}, {from} to {to}',
  copyDay: 'Copy to Monday to Friday',
  holidays: 'Holidays',
  holidaysHint: 'On these dates the hours of the weekday do not count.',
  addHoliday: 'Add holiday',
  holidayDate: 'Date of holiday {count}',
  holidayName: 'Name of holiday {count}',
  removeHoliday: 'Remove holiday {count}',
  holiday: 'holiday {count}',
  sameTimes: 'A span must begin and end at different times.',
  dateMissing: 'Enter a date for each holiday.',
} satisfies Record<string, Entry>;

export type BusinessHoursKey = keyof typeof en;
