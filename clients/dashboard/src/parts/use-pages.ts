import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ListPage } from '@support-chat/sdk';

export interface Pages<Item> {
  /** Undefined until the first page has arrived. */
  readonly items: readonly Item[] | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** Loads the next page. */
  loadMore(): void;
  /** Loads the first page again; the shown items stay meanwhile. */
  reload(): Promise<void>;
  /** Changes the shown items, after a change of the service. */
  update(change: (items: readonly Item[]) => readonly Item[]): void;
}

/** A list of the service, page by page. @param key another key starts another list */
export function usePages<Item>(list: ListPage<Item>, key = ''): Pages<Item> {
  const [state, setState] = useState<{ items?: readonly Item[]; cursor: string | null; error?: unknown }>({
    cursor: null,
  });
  const [isLoading, setLoading] = useState(true);
  const latest = useRef(list);
  latest.current = list;
  const round = useRef(0);

  const load = useCallback(async (cursor: string | null) => {
    const present = ++round.current;
    setLoading(true);
    try {
      const page = await latest.current(cursor === null ? {} : { cursor });
      if (present !== round.current) return;
      setState(({ items = [] }) => ({
        items: cursor === null ? page.items : [...items, ...page.items],
        cursor: page.next_cursor,
      }));
    } catch (error) {
      if (present === round.current) setState(former => ({ ...former, error }));
    }
    if (present === round.current) setLoading(false);
  }, []);
  useEffect(() => {
    void load(null);
    return () => void round.current++;
  }, [key]);
  return {
    items: state.items,
    error: state.error,
    isLoading,
    hasMore: state.cursor !== null,
    loadMore: () => void load(state.cursor),
    reload: () => load(null),
    update: change => setState(({ items = [], ...former }) => ({ ...former, items: change(items) })),
  };
}
