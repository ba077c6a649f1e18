import { Injectable } from '@nestjs/common';
import { covers } from '../../kernel/channel-scope.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import { ContactsService } from '../contacts/index.js';
import { InboxFiltersService, joinList, splitList } from '../conversations/index.js';
import type { View, ViewFilters } from './view.js';

/** Filters that a reader may see as null. */
const HIDDEN = ['channel_id', 'contact_id', 'query'] as const;

/** Checks the filters of views, and shows them to a reader. */
@Injectable()
export class ViewFiltersService {
  constructor(
    private readonly filters: InboxFiltersService,
    private readonly contacts: ContactsService,
  ) {}

  /** Checks filters like the list's. A filter that was shown as null may stay null. @throws ValidationFailed */
  read(value: Record<string, unknown>): ViewFilters {
    const hidden = HIDDEN.filter(name => value[name] === null);
    const given = Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name as 'query')));
    return { ...this.filters.read(given, 'filters'), ...Object.fromEntries(hidden.map(name => [name, null])) };
  }

  /** The filters of each view as the reader may see them: channels and contacts out of its scope are null. */
  async show(principal: StaffPrincipal, views: readonly View[]): Promise<ViewFilters[]> {
    const ids = views.map(({ filters }) => filters.contact_id).filter(id => typeof id === 'string');
    const contacts = await this.contacts.findVisibleIds(principal, ids);
    return views.map(({ filters }) => ({
      ...filters,
      ...(typeof filters.channel_id === 'string' && { channel_id: visibleChannels(principal, filters.channel_id) }),
      ...(typeof filters.contact_id === 'string' && !contacts.has(filters.contact_id) && { contact_id: null }),
    }));
  }
}

function visibleChannels(principal: StaffPrincipal, list: string): string | null {
  const visible = splitList(list).filter(id => covers(scopeOf(principal), id));
  return visible.length === 0 ? null : joinList(visible);
}
