import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type {
  CreateContactBody,
  ExportContactBody,
  ListContactsQuery,
  MergeContactBody,
  UpdateContactBody,
} from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page } from '../pages.js';
import type { ContactExportView, ContactMergeView, ContactView, DeletedView } from '../types.js';

/** The people whom the workspace talks with. */
export class Contacts {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: ListContactsQuery): Promise<Page<ContactView>> {
    return this.api.get('/v1/contacts', query);
  }

  get(id: string): Promise<ContactView> {
    return this.api.get(path`/v1/contacts/${id}`);
  }

  /** The same `idempotencyKey` makes one contact and answers it again for a day. */
  create(body: CreateContactBody, options: { idempotencyKey?: string } = {}): Promise<ContactView> {
    return this.api.post('/v1/contacts', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  /** Its sockets close, its requests and sessions are 403 `contact_blocked`. It takes scope `all`, as `unblock` does. */
  block(id: string): Promise<ContactView> {
    return this.api.post(path`/v1/contacts/${id}/block`);
  }

  /** Lets it in again with what it had. */
  unblock(id: string): Promise<ContactView> {
    return this.api.post(path`/v1/contacts/${id}/unblock`);
  }

  /**
   * The contact of `from_id` becomes part of this one, and its id leads here: 410 `contact_merged` with `contact_id`.
   * With `dry_run` the answer is what would happen.
   */
  merge(id: string, body: MergeContactBody): Promise<ContactMergeView> {
    return this.api.post(path`/v1/contacts/${id}/merge`, body);
  }

  /** All that is held of the person. The service sends it piece by piece; here it is whole, however much was said. */
  export(id: string, options?: ExportContactBody): Promise<ContactExportView> {
    return this.api.post(path`/v1/contacts/${id}/export`, options);
  }

  /** Erases the person, and every word that was said with it. It takes an admin or a key; nothing brings it back. */
  delete(id: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/contacts/${id}`);
  }

  update(id: string, body: UpdateContactBody): Promise<ContactView> {
    return this.api.patch(path`/v1/contacts/${id}`, body);
  }
}
