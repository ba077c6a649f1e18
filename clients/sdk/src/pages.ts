/** A page of a list. `next_cursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** Query parameters of every list. */
export interface PageQuery {
  /** 1 to 200; default 50. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Fetches one page of a list: the first, or the one at `cursor`. */
export type ListPage<T> = (next: { cursor?: string }) => Promise<Page<T>>;

/**
 * Iterates over all pages of a list:
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

/** Iterates over all items of a list. */
export async function* items<T>(list: ListPage<T>): AsyncGenerator<T, void, undefined> {
  for await (const page of pages(list)) yield* page.items;
}
