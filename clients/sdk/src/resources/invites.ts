import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateInviteBody, ListInvitesQuery } from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page } from '../pages.js';
import type { InviteView, IssuedInviteView, RevokedView } from '../types.js';

/** Invites. Every agent can read them, admins can create them. */
export class Invites {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: ListInvitesQuery): Promise<Page<InviteView>> {
    return this.api.get('/v1/workspace/invites', query);
  }

  /**
   * Creates an invite. The response contains the link; if SMTP is configured, the service also mails one. A pending
   * invite of the same e-mail gets a new link, and the old one becomes invalid; the same `idempotencyKey` returns the
   * first link.
   */
  create(body: CreateInviteBody, options: { idempotencyKey?: string } = {}): Promise<IssuedInviteView> {
    return this.api.post('/v1/workspace/invites', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  /** Creates a new link, valid for 7 days; the old one becomes invalid. */
  resend(id: string): Promise<IssuedInviteView> {
    return this.api.post(path`/v1/workspace/invites/${id}/resend`);
  }

  /** Revokes an invite. @throws ApiError 409 `invite_not_pending` if it was accepted */
  revoke(id: string): Promise<RevokedView> {
    return this.api.delete(path`/v1/workspace/invites/${id}`);
  }
}
