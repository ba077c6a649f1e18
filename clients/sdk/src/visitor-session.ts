import { ApiError } from './api-error.js';
import type { Credential } from './authorized-api.js';
import type { HttpTransport } from './http.js';
import { singleFlight } from './single-flight.js';
import type { FreeForm, WidgetSessionView } from './types.js';
import type { VisitedPage } from './visited-page.js';

/** The page's knowledge of the visitor. */
export interface VisitorIdentity {
  /** The page's own id of its user. By default the SDK generates an id and stores it on the device. */
  externalId?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  locale?: string | undefined;
  /** IANA time zone. */
  timezone?: string | undefined;
  customAttributes?: FreeForm | undefined;
  /** Proof of `externalId`, signed by the page's server. A function is called at each renewal. */
  identityToken?: string | (() => string | Promise<string>) | undefined;
}

/** Holder of a visitor's token; renews it. */
export class VisitorSession implements Credential {
  private latest: WidgetSessionView | undefined;
  private readonly renewOnce = singleFlight(() => this.renewSession());

  constructor(
    private readonly http: HttpTransport,
    private readonly widgetToken: string,
    private readonly externalId: string,
    private readonly identity: VisitorIdentity,
  ) {}

  /** The latest session response. */
  get view(): WidgetSessionView {
    if (this.latest) return this.latest;
    throw new ApiError({ status: 401, code: 'unauthenticated', message: 'The visitor session has not been started.' });
  }

  current(): string {
    return this.view.visitor_token;
  }

  async start(page: VisitedPage | undefined): Promise<void> {
    const { name, email, phone, locale, timezone, customAttributes } = this.identity;
    const details = { name, email, phone, locale, timezone, custom_attributes: customAttributes };
    this.latest = await this.requestSession({ ...details, page });
  }

  renew(stale: string): Promise<string> {
    return this.current() === stale ? this.renewOnce() : Promise.resolve(this.current());
  }

  /** Renews by the old token, which names the contact. Omits name and e-mail, which may have changed since. */
  private async renewSession(): Promise<string> {
    this.latest = await this.requestSession({}, this.current());
    return this.latest.visitor_token;
  }

  private async requestSession(fields: object, token?: string): Promise<WidgetSessionView> {
    const { identityToken } = this.identity;
    const body = {
      widget_token: this.widgetToken,
      external_id: this.externalId,
      identity_token: typeof identityToken === 'function' ? await identityToken() : identityToken,
      ...fields,
    };
    return this.http.request({ method: 'POST', path: '/v1/widget/session', body }, token);
  }
}
