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

/** Contacts of the workspace. */
export class Contacts {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: ListContactsQuery): Promise<Page<ContactView>> {
    return this.api.get('/v1/contacts', query);
  }

  get(id: string): Promise<ContactView> {
    return this.api.get(path`/v1/contacts/${id}`);
  }

  /** Creates a contact. For a day, the same `idempotencyKey` returns the same contact. */
  create(body: CreateContactBody, options: { idempotencyKey?: string } = {}): Promise<ContactView> {
    return this.api.post('/v1/contacts', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  /** Blocks a contact: its sockets close, its requests get 403 `contact_blocked`. Needs scope `all`, like `unblock`. */
  block(id: string): Promise<ContactView> {
    return this.api.post(path`/v1/contacts/${id}/block`);
  }

  /** Unblocks a contact; its data is unchanged. */
  unblock(id: string): Promise<ContactView> {
    return this.api.post(path`/v1/contacts/${id}/unblock`);
  }

  /**
   * Merges the contact `from_id` into this one. Its id then returns 410 `contact_merged` with `contact_id`. With
   * `dry_run` nothing changes, and the response describes the result.
   */
  merge(id: string, body: MergeContactBody): Promise<ContactMergeView> {
    return this.api.post(path`/v1/contacts/${id}/merge`, body);
  }

  /** Exports all data of the person. The service streams it; this method returns it as a whole, however large it is. */
  export(id: string, options?: ExportContactBody): Promise<ContactExportView> {
    return this.api.post(path`/v1/contacts/${id}/export`, options);
  }

  /** Erases the person and all messages with it, permanently. Needs an admin or a key. */
  delete(id: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/contacts/${id}`);
  }

  update(id: string, body: UpdateContactBody): Promise<ContactView> {
    return this.api.patch(path`/v1/contacts/${id}`, body);
  }
}
