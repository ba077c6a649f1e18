import type { ConversationView, ListConversationsQuery } from '@support-chat/sdk';
import { tagKey } from './tag-renames.js';

/** The filters of `GET /v1/conversations`, without its pages. */
export type ListFilter = Omit<ListConversationsQuery, 'limit' | 'cursor'>;

type Judge = (value: never) => boolean;

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'];
const DEFAULT_SORT = 'last_activity';
const LISTS = ['status', 'assignee', 'channel_id', 'tag', 'priority'] as const;
/** Filters on facts that conversations do not contain. */
const UNKNOWN_TO_CLIENTS = ['query', 'participating', 'mentioned', 'waiting_longer_than', 'updated_since'] as const;
const SORT_FIELDS: Record<NonNullable<ListFilter['sort']>, readonly (keyof ConversationView)[]> = {
  last_activity: ['last_activity_at'],
  created: [],
  waiting: ['waiting_since', 'status'],
  priority: ['priority', 'last_activity_at'],
};

/** Decides as the service which conversations a list contains, and in which order. */
export class ViewFilter {
  /** Equal for filters that mean the same. */
  readonly key: string;
  /** False if only the service knows which conversations match. */
  readonly isJudged: boolean;
  private readonly judges = new Map<keyof ConversationView, Judge>();
  private readonly sort: NonNullable<ListFilter['sort']>;
  private readonly factor: 1 | -1;
  private readonly sortFields: ReadonlySet<keyof ConversationView>;

  /** @param memberId of the caller, whom `me` means */
  constructor(
    readonly query: ListFilter,
    memberId: string,
  ) {
    this.key = keyOf(query);
    this.isJudged = UNKNOWN_TO_CLIENTS.every(name => query[name] === undefined);
    this.sort = query.sort ?? DEFAULT_SORT;
    this.sortFields = new Set(SORT_FIELDS[this.sort]);
    const order = query.order ?? (this.sort === 'waiting' ? 'asc' : 'desc');
    this.factor = order === 'asc' ? 1 : -1;
    this.addJudges(query, memberId);
  }

  /** True if the conversation fulfils everything that a client can judge. */
  matches(view: ConversationView): boolean {
    for (const [field, judge] of this.judges) if (!judge(view[field] as never)) return false;
    return this.sort !== 'waiting' || (view.waiting_since !== null && view.status !== 'resolved');
  }

  /**
   * True if an unknown conversation may enter the list, or move in it, by a change.
   * @param changed fields that changed @param known other fields of which the values are known
   */
  mayEnter(changed: Partial<ConversationView>, known: Partial<ConversationView>): boolean {
    const fields = Object.keys(changed) as (keyof ConversationView)[];
    if (this.isJudged && !fields.some(field => this.judges.has(field) || this.sortFields.has(field))) return false;
    const values = { ...known, ...changed };
    for (const [field, judge] of this.judges) if (field in values && !judge(values[field] as never)) return false;
    return this.sort !== 'waiting' || values.waiting_since !== null;
  }

  /** Text by which conversations of this list sort; see `compare`. */
  sortKeyOf({ id, last_activity_at, waiting_since, priority }: ConversationView): string {
    if (this.sort === 'created') return id;
    if (this.sort === 'waiting') return `${waiting_since} ${id}`;
    return this.sort === 'priority'
      ? `${PRIORITIES.indexOf(priority)} ${last_activity_at} ${id}`
      : `${last_activity_at} ${id}`;
  }

  /** @returns a negative number if the conversation with sort key `a` comes first */
  compare(a: string, b: string): number {
    return a === b ? 0 : this.factor * (a < b ? -1 : 1);
  }

  private addJudges(query: ListFilter, memberId: string): void {
    const { status, channel_id: channels, contact_id: contact, priority, tag, csat, unread } = query;
    this.addList('status', status);
    this.addList('channel_id', channels);
    this.addList('contact_id', contact);
    this.addList('priority', priority);
    this.addList(
      'assignee_id',
      valuesOf(query.assignee)?.map(value => (value === 'none' ? null : value === 'me' ? memberId : value)),
    );
    const tags = valuesOf(tag)?.map(tagKey);
    if (tags) this.add('tags', names => names.some(name => tags.includes(tagKey(name))));
    if (csat === 'none') this.add('csat', rating => rating === null);
    else if (csat !== undefined) {
      this.add('csat', rating => rating !== null && (csat === 'any' || String(rating.score) === csat));
    }
    if (unread !== undefined) this.add('unread', ({ agents }) => agents > 0 === unread);
  }

  private addList(field: keyof ConversationView, values: string | readonly (string | null)[] | undefined): void {
    if (values === undefined) return;
    const accepted = new Set<unknown>(typeof values === 'string' ? valuesOf(values) : values);
    this.add(field, value => accepted.has(value));
  }

  private add<F extends keyof ConversationView>(field: F, judge: (value: ConversationView[F]) => boolean): void {
    this.judges.set(field, judge as Judge);
  }
}

/** A text has several values by comma; `\,` stands for a comma in a value. */
function valuesOf(value: string | readonly string[] | undefined): readonly string[] | undefined {
  if (typeof value !== 'string') return value;
  return value.split(/(?<!\\),/).map(part => part.replaceAll('\\,', ','));
}

function keyOf(query: ListFilter): string {
  const { sort = DEFAULT_SORT, ...rest } = query;
  const lists = LISTS.map(name => [name, rest[name] === undefined ? undefined : [...valuesOf(rest[name])!].sort()]);
  const all = { ...rest, sort, ...Object.fromEntries(lists) };
  const entries = Object.entries(all).filter(([, value]) => value !== undefined);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
