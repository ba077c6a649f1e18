import { describe, expect, it } from '@jest/globals';
import { chooseLocale, createTranslator } from '../../clients/ui/src/translator.js';

const TEXTS = { unread: { one: '{count} message', other: '{count} messages' }, joined: '{name} has joined' };
const POLISH = { unread: { one: '{count} wiadomość', few: '{count} wiadomości', many: '{count} wiadomości!' } };
const NOW = new Date(2026, 2, 12, 15, 0).getTime();
const at = (day: number, hour: number, minute = 0) => new Date(2026, 2, day, hour, minute).toISOString();

describe('The texts of a language', () => {
  const english = createTranslator('en', TEXTS);

  it('A count chooses the form that the language has for it', () => {
    const polish = createTranslator('pl', TEXTS, POLISH);
    expect([1, 2].map(count => english.text('unread', { count }))).toEqual(['1 message', '2 messages']);
    expect([1, 2, 5].map(count => polish.text('unread', { count }))).toEqual([
      '1 wiadomość',
      '2 wiadomości',
      '5 wiadomości!',
    ]);
  });

  it('A text that a language lacks is shown in English', () => {
    expect(createTranslator('pl', TEXTS, POLISH).text('joined', { name: 'Ana' })).toBe('Ana has joined');
  });

  it('A value with braces is shown as it is', () => {
    expect(english.text('joined', { name: '{name} {count}' })).toBe('{name} {count} has joined');
  });

  it('A time is as short as its distance allows', () => {
    expect([at(12, 15), at(12, 14, 58), at(12, 9), at(11, 23), at(2, 9)].map(time => english.ago(time, NOW))).toEqual([
      'now',
      '2 min. ago',
      expect.stringMatching(/^9:00.AM$/),
      'yesterday',
      'Mar 2',
    ]);
  });

  it('A day is named by its distance, else by its date', () => {
    expect([at(12, 1), at(11, 23), at(9, 9)].map(time => english.day(time, NOW))).toEqual([
      'Today',
      'Yesterday',
      'Monday, March 9',
    ]);
  });

  it('Arabic, Hebrew and Persian run from right to left, German does not', () => {
    expect(['ar', 'he-IL', 'fa', 'de'].map(locale => createTranslator(locale, TEXTS).direction)).toEqual([
      'rtl',
      'rtl',
      'rtl',
      'ltr',
    ]);
  });

  it('Durations and sizes have the unit that people say', () => {
    expect([60, 300, 7200].map(english.duration)).toEqual(['1 minute', '5 minutes', '2 hours']);
    expect([12_345, 1_234_567].map(english.size)).toEqual(['13 kB', '1.2 MB']);
  });

  it('The first language that is available is chosen, with its region for dates', () => {
    expect(chooseLocale(['xx', 'de-AT', 'en'], ['en', 'de'])).toBe('de-AT');
    expect(chooseLocale(['xx'], ['en', 'de'])).toBe('en');
  });
});
