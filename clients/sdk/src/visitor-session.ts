import { ApiError } from './api-error.js';
import type { Credential } from './authorized-api.js';
import type { HttpTransport } from './http.js';
import { singleFlight } from './single-flight.js';
import type { FreeForm, WidgetSessionView } from './types.js';

/** Who the visitor is, as far as the page knows. */
export interface VisitorIdentity {
  /** The page's own id for its user. Without one the SDK makes one and keeps it on the device. */
  externalId?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  locale?: string | undefined;
  customAttributes?: FreeForm | undefined;
  /** Proof of `externalId`, signed by the page's server; a function where it must be fresh at each renewal. */
  identityToken?: string | (() => string | Promise<string>) | undefined;
}

/** A visitor's token and its renewal. */
export class VisitorSession implements Credential {
  private latest: WidgetSessionView | undefined;
  private readonly renewOnce = singleFlight(() => this.renewSession());

  constructor(
    private readonly http: HttpTransport,
    private readonly widgetToken: string,
    private readonly externalId: string,
    private readonly identity: VisitorIdentity,
  ) {}

  /** The last answer of the door. */
  get view(): WidgetSessionView {
    if (this.latest) return this.latest;
    throw new ApiError({ status: 401, code: 'unauthenticated', message: 'The visitor session has not been started.' });
  }

  current(): string {
    return this.view.visitor_token;
  }

  async start(): Promise<void> {
    const { name, email, phone, locale, customAttributes } = this.identity;
    this.latest = await this.requestSession({ name, email, phone, locale, custom_attributes: customAttributes });
  }

  renew(stale: string): Promise<string> {
    return this.current() === stale ? this.renewOnce() : Promise.resolve(this.current());
  }

  /** The old token says which contact it is. Name and e-mail stay out: they may have been changed since. */
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
