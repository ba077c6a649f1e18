import type { AuthorizedApi } from '../authorized-api.js';
import type { SsoTicketBody } from '../bodies.js';
import type { SsoTicketView } from '../types.js';

/** The way of a server's own users into the dashboard. */
export class Sso {
  constructor(private readonly api: AuthorizedApi) {}

  /**
   * Where to send the member's browser within 60 seconds. The address opens one session; write it down nowhere, and
   * answer it as a redirect (303), not in a page that others may load.
   */
  ticket(body: SsoTicketBody): Promise<SsoTicketView> {
    return this.api.post('/v1/auth/sso/ticket', body);
  }
}
