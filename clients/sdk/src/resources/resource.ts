import { path } from '../addresses.js';
import type { ChangeOf, Collection, Created, Post, Query, RowOf } from '../api-types.js';
import type { AuthorizedApi } from '../authorized-api.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page } from '../pages.js';
import type { DeletedView } from '../types.js';

/** Rows of a collection, with the types of its routes. */
export class Resource<P extends Collection> {
  constructor(
    protected readonly api: AuthorizedApi,
    private readonly collection: P,
  ) {}

  list(query?: Query<P>): Promise<Page<RowOf<P>>> {
    return this.api.get(this.collection, query);
  }

  get(id: string): Promise<RowOf<P>> {
    return this.api.get(this.rowPath(id));
  }

  /** Creates a row. For a day, the same `idempotencyKey` creates one row only and returns the first response. */
  create(body: Post<P>, options: { idempotencyKey?: string } = {}): Promise<Created<P>> {
    return this.api.post(this.collection, body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  update(id: string, body: ChangeOf<P>): Promise<RowOf<P>> {
    return this.api.patch(this.rowPath(id), body);
  }

  delete(id: string): Promise<DeletedView> {
    return this.api.delete(this.rowPath(id));
  }

  private rowPath(id: string): string {
    return `${this.collection}${path`/${id}`}`;
  }
}
