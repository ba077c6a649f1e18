/** A page of a list. `next_cursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** What every list takes. */
export interface PageQuery {
  limit?: number;
  cursor?: string;
}

/**
 * Walks a list to its end, page by page:
 * `for await (const page of pages(query => agent.conversations.list(query), { status: 'open' }))`.
 */
export async function* pages<T, Q extends PageQuery>(
  list: (query: Q) => Promise<Page<T>>,
  query: Q = {} as Q,
): AsyncGenerator<Page<T>, void, undefined> {
  let cursor: string | null | undefined = query.cursor;
  do {
    const page: Page<T> = await list(cursor === undefined ? query : { ...query, cursor });
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** The same, item by item. */
export async function* items<T, Q extends PageQuery>(
  list: (query: Q) => Promise<Page<T>>,
  query: Q = {} as Q,
): AsyncGenerator<T, void, undefined> {
  for await (const page of pages(list, query)) yield* page.items;
}
