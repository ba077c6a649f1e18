import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateInviteBody, ListInvitesQuery } from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page } from '../pages.js';
import type { InviteView, IssuedInviteView, RevokedView } from '../types.js';

/** Those who have been asked to join. Reading is for every agent, inviting for admins. */
export class Invites {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: ListInvitesQuery): Promise<Page<InviteView>> {
    return this.api.get('/v1/workspace/invites', query);
  }

  /**
   * The link is in this answer, and mailed where the service can mail. Somebody whose invite is pending gets a new
   * link, and the old one is dead; with the same `idempotencyKey` the answer, and the link, are the first again.
   */
  create(body: CreateInviteBody, options: { idempotencyKey?: string } = {}): Promise<IssuedInviteView> {
    return this.api.post('/v1/workspace/invites', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  /** A new link, good for 7 days; the old one is dead. */
  resend(id: string): Promise<IssuedInviteView> {
    return this.api.post(path`/v1/workspace/invites/${id}/resend`);
  }

  /** 409 `invite_not_pending` once it has been accepted. */
  revoke(id: string): Promise<RevokedView> {
    return this.api.delete(path`/v1/workspace/invites/${id}`);
  }
}
