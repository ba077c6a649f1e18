import type { TagView } from '@support-chat/sdk';
import { useEffect, useState } from 'preact/hooks';
import type { Desk } from '../../desk/desk.js';
import { useDesk } from '../../desk/desk-context.js';
import type { PickerOption } from '../../parts/picker.js';
import { contactName } from '../names.js';
import { FILTER_NAMES, PRIORITIES, RATINGS, reversed, SORTS, STATUSES, type FilterName } from './filter-values.js';
import { formats, t, type FilterText } from './texts/index.js';

const DAY_MS = 86_400_000;
const WAITING_MINUTES = [5, 15, 60, 240, 1440];
const DAYS = [1, 7, 30];

/** Filters that are on or off. */
export const SWITCHES: readonly FilterName[] = ['mentioned', 'participating'];

/** Filters of the menu. A contact comes by a link alone. */
export const OFFERED = FILTER_NAMES.filter(name => name !== 'contact_id');

type Known = Pick<Desk, 'directory' | 'store' | 'memberId'>;

/** Name of a value, as its filter shows it. */
export function nameOfValue(name: FilterName, value: string, { directory, store }: Known): string {
  switch (name) {
    case 'status':
      return t(`status_${value as (typeof STATUSES)[number]}`);
    case 'priority':
      return t(`priority_${value as (typeof PRIORITIES)[number]}`);
    case 'assignee':
      return value === 'me' ? t('me') : value === 'none' ? t('nobody') : (directory.nameOf(value) ?? t('unknown'));
    case 'channel_id':
      return directory.channels.value.get(value)?.name ?? t('unknown');
    case 'unread':
      return t(value === 'true' ? 'unreadYes' : 'unreadNo');
    case 'waiting_longer_than':
      return formats().duration(Number(value));
    case 'csat':
      return value === 'any' || value === 'none' ? t(`csat_${value}`) : t('stars', { score: value });
    case 'query':
      return t('containing', { text: value });
    case 'updated_since':
      return formats().day(value);
    case 'contact_id': {
      const contact = store.contact(value).value;
      return contact ? contactName(contact) : t('aContact');
    }
    case 'sort':
      return t(`sort_${value.replace(' ', '_')}` as FilterText);
    default:
      return value;
  }
}

/** The values that a menu offers for a filter. */
export function useFilterOptions(name: FilterName, chosen: readonly string[]): PickerOption[] {
  const desk = useDesk();
  const tags = useTags(name === 'tag');
  const offered = valuesOf(name, desk, tags);
  // what an address has is shown, whether it is offered or not
  const all = [...offered, ...chosen.filter(value => !offered.includes(value))];
  return all.map(value => ({
    id: value,
    name: name === 'updated_since' ? sinceName(value, desk) : nameOfValue(name, value, desk),
    isChosen: chosen.includes(value),
  }));
}

function valuesOf(name: FilterName, { directory, memberId }: Known, tags: readonly string[]): string[] {
  switch (name) {
    case 'status':
      return [...STATUSES];
    case 'priority':
      return [...PRIORITIES];
    case 'assignee':
      return ['me', 'none', ...directory.activeMembers.value.filter(({ id }) => id !== memberId).map(({ id }) => id)];
    case 'channel_id':
      return [...directory.channels.value.keys()];
    case 'tag':
      return [...tags];
    case 'unread':
      return ['true', 'false'];
    case 'waiting_longer_than':
      return WAITING_MINUTES.map(minutes => String(minutes * 60));
    case 'csat':
      return [...RATINGS];
    case 'updated_since':
      return [0, ...DAYS].map(startOfDay);
    case 'sort':
      return [...SORTS, ...SORTS.map(reversed)];
    default:
      return [];
  }
}

/** @returns midnight of this computer, so that a link means the same all day */
function startOfDay(daysAgo: number): string {
  const date = new Date(Date.now() - daysAgo * DAY_MS);
  date.setHours(0, 0, 0, 0);
  return date.toISOString();
}

function sinceName(value: string, known: Known): string {
  const days = [0, ...DAYS].find(each => startOfDay(each) === value);
  if (days === undefined) return nameOfValue('updated_since', value, known);
  return days === 0 ? t('today') : t('days', { count: days });
}

function useTags(isOpen: boolean): readonly string[] {
  const { agent } = useDesk();
  const [tags, setTags] = useState<readonly TagView[]>([]);
  useEffect(() => {
    if (!isOpen) return;
    agent.tags.list({ limit: 200 }).then(
      ({ items }) => setTags(items),
      () => undefined,
    );
  }, [agent, isOpen]);
  return tags.map(({ name }) => name);
}
