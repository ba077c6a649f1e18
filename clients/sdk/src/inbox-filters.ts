import type { Query } from './api-types.js';
import type { ConversationView } from './types.js';

/** One value, or several of which any matches. */
export type OneOrMore<T> = T | readonly T[];

interface ListFilters {
  status?: OneOrMore<ConversationView['status']> | undefined;
  priority?: OneOrMore<ConversationView['priority']> | undefined;
  /** `me`, `none` or ids of members. */
  assignee?: OneOrMore<string> | undefined;
  channel_id?: OneOrMore<string> | undefined;
  tag?: OneOrMore<string> | undefined;
}

/** The filters of the inbox. */
export type ListConversationsQuery = Omit<Query<'/v1/conversations'>, keyof ListFilters> & ListFilters;

/** Joins lists with commas. A comma in a value of a list is escaped. */
export function joinLists(query: ListConversationsQuery = {}): object {
  const joined = (value: unknown) =>
    Array.isArray(value) ? value.map(one => String(one).replaceAll(',', '\\,')).join(',') : value;
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, joined(value)]));
}
