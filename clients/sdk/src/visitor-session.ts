import { ApiError } from './api-error.js';
import type { Credential } from './authorized-api.js';
import type { HttpTransport } from './http.js';
import { singleFlight } from './single-flight.js';
import type { FreeForm, WidgetSessionView } from './types.js';
import type { VisitedPage } from './visited-page.js';
import { inOneTab } from './web-locks.js';

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

/** A visitor's session as plain data, to continue it on the next page without a request. Secret, like a password. */
export interface StoredVisitorSession {
  token: string;
  /** Milliseconds since 1970, by this device's clock. Afterwards the first call renews the token. */
  expiresAt: number;
  externalId: string;
  contactId: string;
  /** The identity was proven. Without another proof the session ends with its token. */
  isProven?: boolean | undefined;
}

/** Settings of a {@link VisitorSession}. */
export interface VisitorSessionOptions extends VisitorIdentity {
  /** Public token from the channel's settings. */
  widgetToken: string;
  /** Receives the session when it begins and whenever its token is renewed, to store it. */
  onSession?: ((session: StoredVisitorSession) => void) | undefined;
  /**
   * Returns what `onSession` has stored last, in any tab. Tabs then renew a token one after the other, and one request
   * serves all of them.
   */
  readSession?: (() => StoredVisitorSession | undefined) | undefined;
}

/** Holder of a visitor's token; renews it. */
export class VisitorSession implements Credential {
  private latest: WidgetSessionView | undefined;
  private readonly renewOnce = singleFlight(() => this.renewSession());

  /** @param stored a session that was begun earlier; without it, call {@link start} first */
  constructor(
    private readonly http: HttpTransport,
    private readonly externalId: string,
    private readonly options: VisitorSessionOptions,
    private stored?: StoredVisitorSession,
  ) {}

  /** The latest session response. */
  get view(): WidgetSessionView {
    return this.latest ?? notStarted();
  }

  get storable(): StoredVisitorSession {
    return this.stored ?? notStarted();
  }

  current(): string {
    return this.storable.token;
  }

  async start(page: VisitedPage | undefined): Promise<void> {
    const { name, email, phone, locale, timezone, customAttributes } = this.options;
    const details = { name, email, phone, locale, timezone, custom_attributes: customAttributes };
    await this.requestSession({ ...details, page });
  }

  renew(stale: string): Promise<string> {
    return this.current() === stale ? this.renewOnce() : Promise.resolve(this.current());
  }

  /** Renews by the old token, which names the contact. Omits name and e-mail, which may have changed since. */
  private async renewSession(): Promise<string> {
    const { widgetToken, identityToken } = this.options;
    await inOneTab(`support-chat:${widgetToken}:renewal`, async () => {
      const { token, contactId, isProven } = this.storable;
      const latest = this.options.readSession?.();
      if (latest?.contactId === contactId && latest.token !== token && latest.expiresAt > Date.now()) {
        this.stored = latest;
        return;
      }
      // without the proof the service would find another contact
      if (isProven && identityToken === undefined) throw endedWithoutProof();
      await this.requestSession({}, token);
    });
    return this.current();
  }

  private async requestSession(fields: object, token?: string): Promise<void> {
    const { externalId } = this;
    const { widgetToken, identityToken, onSession } = this.options;
    const proof = typeof identityToken === 'function' ? await identityToken() : identityToken;
    const body = { widget_token: widgetToken, external_id: externalId, identity_token: proof, ...fields };
    const view = await this.http.request<WidgetSessionView>(
      { method: 'POST', path: '/v1/widget/session', body },
      token,
    );
    this.latest = view;
    const expiresAt = Date.now() + view.expires_in * 1000;
    const isProven = proof !== undefined;
    this.stored = { token: view.visitor_token, expiresAt, externalId, contactId: view.contact_id, isProven };
    onSession?.(this.stored);
  }
}

function notStarted(): never {
  throw new ApiError({
    status: 401,
    code: 'unauthenticated',
    message: 'The service has not been asked for a visitor session.',
  });
}

function endedWithoutProof(): ApiError {
  return new ApiError({
    status: 401,
    code: 'identity_required',
    message: 'The session has ended. Prove the identity again to open another one.',
  });
}
