import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { ExportContactBody, GetContactQuery, MergeContactBody } from '../bodies.js';
import type { ContactExportView, ContactMergeView, ContactView } from '../types.js';
import { Resource } from './resource.js';

/** Contacts of the workspace. `delete` erases the person and all its messages, permanently; it needs an admin or a key. */
export class Contacts extends Resource<'/v1/contacts'> {
  constructor(api: AuthorizedApi) {
    super(api, '/v1/contacts');
  }

  /** With `include: 'duplicates'` also returns other contacts that may be the same person. */
  override get(id: string, query?: GetContactQuery): Promise<ContactView> {
    return this.api.get(path`/v1/contacts/${id}`, query);
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
}
