import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { UpdateContactBody, CreateContactBody, ListContactsQuery } from '../bodies.js';
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

  create(body: CreateContactBody): Promise<ContactView> {
    return this.api.post('/v1/contacts', body);
  }

  update(id: string, body: UpdateContactBody): Promise<ContactView> {
    return this.api.patch(path`/v1/contacts/${id}`, body);
  }
}
