import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { NIL_ID } from '../../kernel/ids.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { invalidField, readShape } from '../../platform/schemas/validation.js';
import { TagsService } from '../tags/index.js';
import type { Priority, Status } from './conversation.js';
import type { FilterRecord } from './inbox-filters.js';
import { splitList } from './inbox-filters.js';
import type { InboxFilters } from './inbox.js';
import { ListConversationsQuery } from './inbox.schema.js';

/** Reads the filters of the inbox, for its list and for views. */
@Injectable()
export class InboxFiltersService {
  constructor(
    private readonly tags: TagsService,
    private readonly clock: Clock,
  ) {}

  /** Checks filters like the parameters of the list. Unknown ones are dropped. @throws ValidationFailed */
  read(value: object, field: string): FilterRecord {
    const { limit: _limit, cursor: _cursor, ...filters } = readShape(ListConversationsQuery, value, field);
    return filters;
  }

  /** Filters as the caller means them. `me` of an API key matches nobody. */
  async resolve(principal: StaffPrincipal, filters: FilterRecord): Promise<InboxFilters> {
    const { waiting_longer_than: seconds, updated_since: since, sort = 'last_activity' } = filters;
    return {
      statuses: listOf(filters.status) as Status[] | undefined,
      assigneeIds: assigneesOf(principal, filters.assignee),
      channelIds: listOf(filters.channel_id),
      contactId: filters.contact_id,
      tagIds:
        filters.tag === undefined ? undefined : await this.tags.findIds(principal.workspaceId, splitList(filters.tag)),
      priorities: listOf(filters.priority) as Priority[] | undefined,
      csat: filters.csat,
      unread: filters.unread,
      waitingSince: seconds === undefined ? undefined : new Date(this.clock.now().getTime() - seconds * 1_000),
      query: filters.query,
      updatedSince: since === undefined ? undefined : new Date(since),
      participantId: memberOf(principal, filters.participating),
      mentionedId: memberOf(principal, filters.mentioned),
      sort,
      order: filters.order,
    };
  }

  /** @throws ValidationFailed for `me` of an API key */
  assertUsable(principal: StaffPrincipal, { assignee, participating, mentioned }: FilterRecord): void {
    if (principal.kind === 'agent') return;
    const values = { assignee, participating, mentioned };
    const field = Object.entries(values).find(([, value]) => listOf(value)?.includes('me'))?.[0];
    if (field) invalidField(field, 'not_allowed', '`me` requires an agent session, not an API key');
  }
}

function listOf(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : [...new Set(splitList(text))];
}

/** The member that `me` stands for. */
function memberOf(principal: StaffPrincipal, me: 'me' | undefined): string | undefined {
  if (me === undefined) return undefined;
  return principal.kind === 'agent' ? principal.memberId : NIL_ID;
}

function assigneesOf(principal: StaffPrincipal, assignee: string | undefined): (string | null)[] | undefined {
  const me = principal.kind === 'agent' ? [principal.memberId] : [];
  return listOf(assignee)?.flatMap(value => (value === 'none' ? [null] : value === 'me' ? me : [value]));
}
