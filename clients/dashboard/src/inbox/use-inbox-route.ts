import { useCallback } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

/** The address of the inbox: `/inbox/{view}/{conversation}?message={id}`, or `/inbox/search?q={text}`. */
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
}

export function useInboxRoute(): InboxRoute {
  const [location, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const [, , view, conversationId] = location.split('/').map(decodeURIComponent);
  const open = useCallback<InboxRoute['open']>(
    (nextView, nextId, { messageId, replace = false } = {}) => {
      const path = ['', 'inbox', nextView, ...(nextId === undefined ? [] : [nextId])].map(encodeURIComponent).join('/');
      navigate(messageId === undefined ? path : `${path}?message=${messageId}`, { replace });
    },
    [navigate],
  );
  return {
    view: view === '' ? undefined : view,
    conversationId,
    messageId: search.get('message') ?? undefined,
    query: search.get('q') ?? '',
    open,
    search: text => navigate(`/inbox/search?q=${encodeURIComponent(text)}`, { replace: view === 'search' }),
  };
}
