const TAGS = [
  'ar',
  'bg',
  'ca',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'et',
  'fa',
  'fi',
  'fr',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'nl',
  'no',
  'pl',
  'pt',
  'pt-BR',
  'ro',
  'ru',
  'sk',
  'sl',
  'sr',
  'sv',
  'th',
  'tr',
  'uk',
  'vi',
  'zh',
];

/** Name of a language in that language. */
export function localeName(tag: string): string {
  try {
    return new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** The languages to choose from, by name, and the present one. */
export function localeOptions(present: string): { value: string; name: string }[] {
  return [...new Set([present, ...TAGS])]
    .map(value => ({ value, name: localeName(value) }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** The time zones of the browser, UTC, and the present one. */
export function timezoneOptions(present: string): { value: string; name: string }[] {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set(['UTC', ...known, present])].map(value => ({ value, name: value.replaceAll('_', ' ') }));
}
