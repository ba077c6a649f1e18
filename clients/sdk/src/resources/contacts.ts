import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { UpdateContactBody, CreateContactBody, ListContactsQuery } from '../bodies.js';
import { idempotent } from '../once.js';
import type { Page } from '../pages.js';
import type { ContactView } from '../types.js';

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
    return this.api.post('/v1/contacts', body, { headers: idempotent(options.idempotencyKey) });
  }

  /** Its sockets close, its requests and sessions are 403 `contact_blocked`. It takes scope `all`, as `unblock` does. */
  block(id: string): Promise<ContactView> {
    return this.api.post(path`/v1/contacts/${id}/block`);
  }

  /** Lets it in again with what it had. */
  unblock(id: string): Promise<ContactView> {
    return this.api.post(path`/v1/contacts/${id}/unblock`);
  }

  update(id: string, body: UpdateContactBody): Promise<ContactView> {
    return this.api.patch(path`/v1/contacts/${id}`, body);
  }
}
