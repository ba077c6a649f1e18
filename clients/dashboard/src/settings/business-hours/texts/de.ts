import type { Entry } from '@support-chat/ui/translator.js';
import type { BusinessHoursKey } from './en.js';

export const de: Record<BusinessHoursKey, Entry> = {
  mode: 'Wann ist geöffnet',
  always: 'Immer geöffnet',
  scheduled: 'Zu festen Zeiten',
  from: '{day}, von',
  to: '{day}, bis',
  until: 'bis',
  nextDay: 'am nächsten Tag',
  closed: 'Geschlossen',
  addSpan: 'Zeit hinzufügen',
  addSpanTo: 'Zeit hinzufügen: {day}',
  removeSpan: 'Entfernen: {day}, {from} bis {to}',
  copyDay: 'Auf Montag bis Freitag übertragen',
  holidays: 'Feiertage',
  holidaysHint: 'An diesen Tagen gelten die Zeiten des Wochentags nicht.',
  addHoliday: 'Feiertag hinzufügen',
  holidayDate: 'Datum von Feiertag {count}',
  holidayName: 'Name von Feiertag {count}',
  removeHoliday: 'Feiertag {count} entfernen',
  holiday: 'Feiertag {count}',
  sameTimes: 'Beginn und Ende einer Zeit müssen verschieden sein.',
  dateMissing: 'Geben Sie für jeden Feiertag ein Datum an.',
};
