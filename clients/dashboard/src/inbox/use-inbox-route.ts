import { useCallback, useMemo } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { readFilters, writeFilters, type FilterValues } from './filters/filter-values.js';

/** The view whose filters are in its address. */
export const FILTER = 'filter';

/**
 * The address of the inbox: `/inbox/{view}/{conversation}?message={id}`, or `/inbox/search?q={text}`. The
 * filters of `/inbox/filter` are the parameters of the list.
 */
export interface InboxRoute {
  view: string | undefined;
  conversationId: string | undefined;
  /** The message of a link. */
  messageId: string | undefined;
  /** The text that is searched. */
  query: string;
  /** @param replace keeps the way back as it is */
  open(view: string, conversationId?: string, options?: { messageId?: string; replace?: boolean }): void;
  search(text: string): void;
  /** The filters of the address. */
  filters: FilterValues;
  /** Shows the list of some filters. An open conversation stays. */
  filter(values: FilterValues): void;
}

export function useInboxRoute(): InboxRoute {
  const [location, navigate] = useLocation();
  const searchText = useSearch();
  const search = new URLSearchParams(searchText);
  const filters = useMemo(() => readFilters(new URLSearchParams(searchText)), [searchText]);
  const [, , view, conversationId] = location.split('/').map(decodeURIComponent);
  const open = useCallback<InboxRoute['open']>(
    (nextView, nextId, { messageId, replace = false } = {}) => {
      const message: Record<string, string> = messageId === undefined ? {} : { message: messageId };
      const texts = { ...(nextView === FILTER && writeFilters(filters)), ...message };
      navigate(addressOf(nextView, nextId, texts), { replace });
    },
    [navigate, filters],
  );
  return {
    view: view === '' ? undefined : view,
    conversationId,
    messageId: search.get('message') ?? undefined,
    query: search.get('q') ?? '',
    open,
    search: text => navigate(`/inbox/search?q=${encodeURIComponent(text)}`, { replace: view === 'search' }),
    filters,
    filter: values => navigate(addressOf(FILTER, conversationId, writeFilters(values)), { replace: view === FILTER }),
  };
}

function addressOf(view: string, conversationId: string | undefined, texts: Record<string, string>): string {
  const parts = conversationId === undefined ? [view] : [view, conversationId];
  const search = new URLSearchParams(texts).toString();
  return `/inbox/${parts.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
}
