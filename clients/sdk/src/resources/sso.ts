import type { AuthorizedApi } from '../authorized-api.js';
import type { SsoTicketBody } from '../bodies.js';
import type { SsoTicketView } from '../types.js';

/** Single sign-on of a server's own users. */
export class Sso {
  constructor(private readonly api: AuthorizedApi) {}

  /**
   * Creates a ticket and returns the address to which to redirect the member's browser within 60 seconds. The address
   * opens one session: do not store it, and send it as a redirect (303), not in a page that others may load.
   */
  ticket(body: SsoTicketBody): Promise<SsoTicketView> {
    return this.api.post('/v1/auth/sso/ticket', body);
  }
}
