/** A page of a list. `next_cursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** What every list takes. */
export interface PageQuery {
  /** 1 to 200; 50 unless told. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** One page of a list: the first one, or the one that `cursor` names. */
export type ListPage<T> = (next: { cursor?: string }) => Promise<Page<T>>;

/**
 * Walks a list to its end, page by page:
 * `for await (const page of pages(next => agent.conversations.list({ status: 'open', ...next })))`.
 */
export async function* pages<T>(list: ListPage<T>): AsyncGenerator<Page<T>, void, undefined> {
  let next: { cursor?: string } | undefined = {};
  while (next) {
    const page: Page<T> = await list(next);
    yield page;
    next = page.next_cursor === null ? undefined : { cursor: page.next_cursor };
  }
}

/** The same, item by item. */
export async function* items<T>(list: ListPage<T>): AsyncGenerator<T, void, undefined> {
  for await (const page of pages(list)) yield* page.items;
}
