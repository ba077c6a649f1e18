import type { Page, PageRequest } from '../../kernel/page.js';
import { PAGE_LIMIT } from '../../kernel/page.js';
import { Integer, Text } from '../schemas/fields.js';

/** The query parameters of every list. */
export class PageQuery implements PageRequest {
  @Integer({
    min: 1,
    max: PAGE_LIMIT.max,
    optional: true,
    fromQuery: true,
    description: 'Maximum number of items in the page.',
  })
  limit: number = PAGE_LIMIT.default;

  @Text({ max: 1000, optional: true, description: 'The `next_cursor` of the previous page.' })
  cursor?: string;
}

export interface PageView<T> {
  items: T[];
  next_cursor: string | null;
}

export function toPageView<Row, View>(page: Page<Row>, toView: (row: Row) => View): PageView<View> {
  return { items: page.items.map(toView), next_cursor: page.nextCursor };
}
