/** A text with `{name}` for values. A plural has a text for each form that the language has; `{count}` chooses. */
export type Entry = string | Partial<Record<Intl.LDMLPluralRule, string>>;
export type Values = Record<string, string | number>;

/** The texts and the conventions of a language. */
export interface Translator<Key extends string> {
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  text(key: Key, values?: Values): string;
  /** E.g. "14:05". */
  clock(time: string): string;
  /** E.g. "Today", "Yesterday", "Monday, 12 March". */
  day(time: string, now?: number): string;
  /** E.g. "2 min. ago", "yesterday", "12 Mar". */
  ago(time: string, now?: number): string;
  /** E.g. "Monday". */
  weekday(time: string): string;
  /** E.g. "5 minutes". */
  duration(seconds: number): string;
  /** E.g. "1.2 MB". */
  size(bytes: number): string;
  list(items: string[]): string;
}

const RIGHT_TO_LEFT = /^(ar|fa|he|ur|ps|sd|ug|yi|dv|ckb)\b/i;
const DAY_MS = 86_400_000;

/** @param fallback complete texts, for keys that the language lacks */
export function createTranslator<Key extends string>(
  locale: string,
  fallback: Record<Key, Entry>,
  entries: Partial<Record<Key, Entry>> = fallback,
): Translator<Key> {
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, options);
    return (time: string) => format.format(new Date(time));
  };
  const unit = (value: number, name: string, unitDisplay: 'long' | 'short', digits = 0) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay, maximumFractionDigits: digits }).format(
      value,
    );
  const relative = (value: number, name: Intl.RelativeTimeFormatUnit) =>
    new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }).format(value, name);
  const clock = date({ hour: 'numeric', minute: '2-digit' });
  const shortDate = date({ day: 'numeric', month: 'short' });
  const longDate = date({ weekday: 'long', day: 'numeric', month: 'long' });
  return {
    locale,
    direction: RIGHT_TO_LEFT.test(locale) ? 'rtl' : 'ltr',
    text: (key, values = {}) => fill(choose(entries[key] ?? fallback[key], locale, values), locale, values),
    clock,
    weekday: date({ weekday: 'long' }),
    day: (time, now = Date.now()) => {
      const days = daysBetween(time, now);
      return days < 2 ? capitalize(relative(-days, 'day'), locale) : longDate(time);
    },
    ago: (time, now = Date.now()) => {
      const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000));
      const days = daysBetween(time, now);
      if (minutes < 60) return minutes ? relative(-minutes, 'minute') : relative(0, 'second');
      if (days === 0) return clock(time);
      return days === 1 ? relative(-1, 'day') : shortDate(time);
    },
    duration: seconds =>
      seconds < 3600
        ? unit(Math.ceil(seconds / 60), 'minute', 'long')
        : unit(Math.round(seconds / 3600), 'hour', 'long'),
    size: bytes =>
      bytes < 1_000_000
        ? unit(Math.ceil(bytes / 1000), 'kilobyte', 'short')
        : unit(bytes / 1_000_000, 'megabyte', 'short', 1),
    list: items => new Intl.ListFormat(locale).format(items),
  };
}

function choose(entry: Entry, locale: string, { count }: Values): string {
  if (typeof entry === 'string') return entry;
  return entry[new Intl.PluralRules(locale).select(Number(count))] ?? entry.other ?? '';
}

function fill(text: string, locale: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? value.toLocaleString(locale) : (value ?? whole);
  });
}

/** Calendar days from a time to now, in the reader's time zone. */
function daysBetween(time: string, now: number): number {
  return Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / DAY_MS);
}

const capitalize = (text: string, locale: string) => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);

/** @returns the first language that is available, by its whole tag or by its language alone */
export function chooseLocale(requested: readonly string[], available: readonly string[]): string {
  for (const tag of requested) {
    const found = [tag, tag.split('-')[0]].find(each => each !== undefined && available.includes(each));
    if (found) return tag;
  }
  return available[0] ?? 'en';
}
