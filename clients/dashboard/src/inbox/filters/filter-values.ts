import type { ListFilter } from '../../store/view-filter.js';

/** Each filter of the list with its values, of which any matches. */
export type FilterValues = Partial<Record<FilterName, readonly string[]>>;

export type FilterName = keyof typeof CHECKS;

export const STATUSES = ['open', 'pending', 'snoozed', 'resolved'] as const;
export const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none'] as const;
export const SORTS = ['last_activity', 'created', 'waiting', 'priority'] as const;
export const RATINGS = ['any', '5', '4', '3', '2', '1', 'none'] as const;

/** Sorts whose own order is ascending. All others are descending. */
const ASCENDING = 'waiting';
/** After the name of a sort that is read backwards. */
const REVERSED = ' reversed';
const MAX_VALUES = 100;
const MAX_TAG = 50;
const MAX_SECONDS = 366 * 86_400;
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const isOneOf = (values: readonly string[]) => (value: string) => values.includes(value);
const isId = (value: string) => ID.test(value);

/** Accept the same values as the service. Anything else in an address is left out, because it would refuse the whole list. */
const CHECKS = {
  status: isOneOf(STATUSES),
  assignee: value => value === 'me' || value === 'none' || isId(value),
  channel_id: isId,
  tag: value => value.trim() !== '' && [...value].length <= MAX_TAG,
  priority: isOneOf(PRIORITIES),
  unread: isOneOf(['true', 'false']),
  mentioned: isOneOf(['me']),
  participating: isOneOf(['me']),
  waiting_longer_than: value => /^\d{1,8}$/.test(value) && Number(value) <= MAX_SECONDS,
  csat: isOneOf(RATINGS),
  query: value => value.trim() !== '',
  updated_since: value => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value)),
  contact_id: isId,
  sort: value => isOneOf(SORTS)(value.replace(REVERSED, '')),
} satisfies Record<string, (value: string) => boolean>;

/** In the order of the menu. */
export const FILTER_NAMES = Object.keys(CHECKS) as FilterName[];

const SEVERAL: readonly FilterName[] = ['status', 'assignee', 'channel_id', 'tag', 'priority'];

/** True if a filter can have several values. */
export function takesSeveral(name: FilterName): boolean {
  return SEVERAL.includes(name);
}

/** The filters of an address. */
export function readFilters(search: URLSearchParams): FilterValues {
  const texts = Object.fromEntries(search);
  if (texts['sort'] !== undefined) texts['sort'] = sortValue(texts['sort'], texts['order']);
  return cleaned(texts);
}

/** The filters of a view. */
export function valuesOfFilter({ order, ...filter }: ListFilter): FilterValues {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...filter, sort: filter.sort ?? 'last_activity' })) {
    if (value === undefined || value === null) continue;
    texts[name] = Array.isArray(value) ? joined(value as string[]) : String(value);
  }
  texts['sort'] = sortValue(texts['sort'] ?? '', order);
  if (texts['sort'] === 'last_activity') delete texts['sort'];
  return cleaned(texts);
}

/** Parameters of `GET /v1/conversations` as texts, as addresses have them. */
export function writeFilters(values: FilterValues): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of FILTER_NAMES) {
    const chosen = values[name];
    if (chosen && chosen.length > 0) texts[name] = takesSeveral(name) ? joined(chosen) : (chosen[0] ?? '');
  }
  const { sort } = texts;
  if (sort?.endsWith(REVERSED)) {
    texts['sort'] = sort.replace(REVERSED, '');
    texts['order'] = texts['sort'] === ASCENDING ? 'desc' : 'asc';
  }
  return texts;
}

/** The filters as the list and saved views take them. */
export function toFilter(values: FilterValues): ListFilter {
  const { unread, waiting_longer_than: seconds, ...texts } = writeFilters(values);
  return {
    ...texts,
    ...(unread !== undefined && { unread: unread === 'true' }),
    ...(seconds !== undefined && { waiting_longer_than: Number(seconds) }),
  } as ListFilter;
}

/** Adds a value, or takes it away. A filter of one value replaces it. */
export function toggled(values: FilterValues, name: FilterName, value: string): FilterValues {
  const chosen = values[name] ?? [];
  if (chosen.includes(value)) return { ...values, [name]: chosen.filter(each => each !== value) };
  return { ...values, [name]: takesSeveral(name) ? [...chosen, value] : [value] };
}

export function reversed(sort: string): string {
  return `${sort}${REVERSED}`;
}

function sortValue(sort: string, order: string | undefined): string {
  const own = sort === ASCENDING ? 'asc' : 'desc';
  return order === undefined || order === own ? sort : reversed(sort);
}

function cleaned(texts: Record<string, string>): FilterValues {
  const values: FilterValues = {};
  for (const name of FILTER_NAMES) {
    const text = texts[name];
    if (text === undefined) continue;
    const chosen = (takesSeveral(name) ? split(text) : [text]).filter(CHECKS[name]).slice(0, MAX_VALUES);
    if (chosen.length > 0) values[name] = [...new Set(chosen)];
  }
  return values;
}

function joined(values: readonly string[]): string {
  return values.map(value => value.replaceAll(',', '\\,')).join(',');
}

function split(text: string): string[] {
  return text.split(/(?<!\\),/).map(value => value.replaceAll('\\,', ','));
}
