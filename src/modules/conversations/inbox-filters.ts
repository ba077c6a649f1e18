import type { Order, Sort } from './inbox.js';

/** The filters of the inbox as a request or a view has them. A list is text, its values separated by commas. */
export interface FilterRecord {
  status?: string | undefined;
  assignee?: string | undefined;
  channel_id?: string | undefined;
  contact_id?: string | undefined;
  tag?: string | undefined;
  priority?: string | undefined;
  csat?: string | undefined;
  unread?: boolean | undefined;
  waiting_longer_than?: number | undefined;
  query?: string | undefined;
  updated_since?: string | undefined;
  participating?: 'me' | undefined;
  mentioned?: 'me' | undefined;
  sort?: Sort | undefined;
  order?: Order | undefined;
}

/** Splits at commas; `\,` stands for a comma in a value. */
export function splitList(text: string): string[] {
  return text.split(/(?<!\\),/).map(value => value.replaceAll('\\,', ','));
}

export function joinList(values: readonly string[]): string {
  return values.map(value => value.replaceAll(',', '\\,')).join(',');
}
