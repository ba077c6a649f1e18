import { resolveAddresses, type Addresses } from './addresses.js';
import { AgentSession } from './agent-session.js';
import { AgentSocket } from './agent-socket.js';
import type { AgentTokens } from './agent-tokens.js';
import type { Collection } from './api-types.js';
import { AuthorizedApi } from './authorized-api.js';
import type {
  ChangePasswordBody,
  LoginBody,
  RegisterBody,
  RegisterUserBody,
  ResetPasswordBody,
  SearchQuery,
} from './bodies.js';
import { waitUntilConnected } from './wait-until-connected.js';
import { endpointTestApi } from './endpoint-tests.js';
import { HttpTransport } from './http.js';
import type { LiveOptions } from './live-socket.js';
import type { ClientOptions } from './options.js';
import type { Page } from './pages.js';
import { AgentApiKeys } from './resources/api-keys.js';
import { Attachments } from './resources/attachments.js';
import { Bots } from './resources/bots.js';
import { CannedResponses } from './resources/canned-responses.js';
import { Channels } from './resources/channels.js';
import { Contacts } from './resources/contacts.js';
import { AgentConversations } from './resources/conversations.js';
import { Invites } from './resources/invites.js';
import { AgentMembers } from './resources/members.js';
import { Notifications } from './resources/notifications.js';
import { Reports } from './resources/reports.js';
import { Resource } from './resources/resource.js';
import { Tags } from './resources/tags.js';
import { Views } from './resources/views.js';
import { Webhooks } from './resources/webhooks.js';
import { Workspace } from './resources/workspace.js';
import type { TokenStore } from './token-store.js';
import type { AgentSessionView, FoundItemView, InvitePreviewView, MeView } from './types.js';

export interface AgentOptions extends ClientOptions {
  /** Receives every new pair of tokens, to store them; null when the session has ended. */
  onTokens?: ((tokens: AgentTokens | null) => void) | undefined;
  /**
   * Tokens shared with other clients: a `PageTokenStore` shares them between the tabs of a browser, and a new client is
   * logged in when another one is. Default: a store of this client alone.
   */
  tokenStore?: TokenStore | undefined;
}

/** Options of a client that another client created. It needs a token store of its own. */
export type OwnTokens = Pick<AgentOptions, 'onTokens' | 'tokenStore'>;

export interface AgentLiveOptions extends LiveOptions {
  /** Default `inbox`; a conversation's id joins only its room. */
  room?: string | undefined;
}

/** Client of an agent. First log in, register, exchange a ticket, or restore stored tokens. */
export class AgentClient {
  readonly conversations: AgentConversations;
  readonly attachments: Attachments;
  readonly contacts: Contacts;
  readonly channels: Channels;
  readonly cannedResponses: CannedResponses;
  readonly tags: Tags;
  readonly views: Views;
  readonly reports: Reports;
  readonly members: AgentMembers;
  readonly notifications: Notifications;
  readonly invites: Invites;
  readonly bots: Bots;
  readonly webhooks: Webhooks;
  readonly apiKeys: AgentApiKeys;
  readonly workspace: Workspace;
  private readonly addresses: Addresses;
  private readonly http: HttpTransport;
  private readonly session: AgentSession;
  private readonly api: AuthorizedApi;

  constructor(private readonly options: AgentOptions) {
    this.addresses = resolveAddresses(options.baseUrl, options.wsBaseUrl);
    this.http = new HttpTransport(this.addresses.rest, options);
    this.session = new AgentSession(this.http, tokens => options.onTokens?.(tokens), options.tokenStore);
    this.api = new AuthorizedApi(this.http, this.session);
    const tests = endpointTestApi(this.addresses.rest, options, this.session);
    this.conversations = new AgentConversations(this.api);
    this.attachments = new Attachments(this.api);
    this.contacts = new Contacts(this.api);
    this.channels = new Channels(this.api);
    this.cannedResponses = new CannedResponses(this.api);
    this.tags = new Tags(this.api);
    this.views = new Views(this.api);
    this.reports = new Reports(this.api);
    this.members = new AgentMembers(this.api);
    this.notifications = new Notifications(this.api);
    this.invites = new Invites(this.api);
    this.bots = new Bots(this.api, tests);
    this.webhooks = new Webhooks(this.api, tests);
    this.apiKeys = new AgentApiKeys(this.api);
    this.workspace = new Workspace(this.api);
  }

  /** Current tokens; undefined when nobody is logged in. */
  get tokens(): AgentTokens | undefined {
    return this.session.storedTokens;
  }

  /** Id of the session. All tokens of a session contain it. Undefined before a login and after a logout. */
  get sessionId(): string | undefined {
    return this.session.id;
  }

  /** Uses stored tokens, or tokens from another page of the same browser. */
  restore(tokens: AgentTokens): void {
    this.session.set(tokens);
  }

  login(body: LoginBody): Promise<AgentSessionView> {
    return this.signIn('/v1/auth/login', body);
  }

  /** Creates a workspace with the caller as its owner. */
  register(body: RegisterBody): Promise<AgentSessionView> {
    return this.signIn('/v1/auth/register', body);
  }

  /** Signs in with an SSO ticket, which is valid once and for a minute. Pages call `enterFromPage` instead. */
  exchange(ticket: string): Promise<AgentSessionView> {
    return this.signIn('/v1/auth/sso/exchange', { ticket });
  }

  /** Returns the workspace and e-mail of an invite, to show to the person who opened its link. */
  invitePreview(inviteToken: string): Promise<InvitePreviewView> {
    const body = { invite_token: inviteToken };
    return this.http.request({ method: 'POST', path: '/v1/auth/invite-preview', body });
  }

  /** Accepts an invite, once. An existing user must give its password; a new user gets this one. */
  registerUser(body: RegisterUserBody): Promise<AgentSessionView> {
    return this.signIn('/v1/auth/register-user', body);
  }

  /**
   * Creates a client of the same member that sees only these channels and has an agent's rights. This client does not
   * change; a logout of either ends both. The new client passes its tokens to the `onTokens` given here.
   */
  narrow(to: { channelIds: readonly string[] }, options: OwnTokens = {}): Promise<AgentClient> {
    return this.deriveClient({ channel_ids: to.channelIds }, options);
  }

  /**
   * Creates a client of the same user in another workspace that `me()` lists. This client does not change; both end
   * together.
   * @throws ApiError 403 `workspace_bound` if the session was narrowed, or an API key opened it
   */
  switchWorkspace(workspaceId: string, options: OwnTokens = {}): Promise<AgentClient> {
    return this.deriveClient({ workspace_id: workspaceId }, options);
  }

  /** Renews the tokens now. Calls renew an expired token automatically. */
  async refresh(): Promise<void> {
    await this.session.renew(this.session.current());
  }

  /**
   * Ends the session: locally and for the other clients of its token store in any case, and on the service if it can be
   * reached.
   */
  async logout(): Promise<void> {
    this.session.synchronize();
    const tokens = this.session.storedTokens;
    if (!tokens) return;
    this.session.clear();
    const body = { refresh_token: tokens.refresh_token };
    await this.http.request({ method: 'POST', path: '/v1/auth/logout', body });
  }

  /** Returns a collection by its path, typed by the API description: `resource('/v1/canned-responses')`. */
  resource<P extends Collection>(path: P): Resource<P> {
    return new Resource(this.api, path);
  }

  /**
   * Searches messages, conversations and contacts, newest first. A page may have fewer items than its limit: `items` and
   * `pages` read on.
   */
  search(query: SearchQuery): Promise<Page<FoundItemView>> {
    return this.api.get('/v1/search', query);
  }

  me(): Promise<MeView> {
    return this.api.get('/v1/auth/me');
  }

  /** Ends the member's other sessions. */
  async changePassword(body: ChangePasswordBody): Promise<void> {
    await this.api.post('/v1/auth/password', body);
  }

  /** Succeeds for known and unknown e-mails alike. */
  async forgotPassword(email: string): Promise<void> {
    await this.http.request({ method: 'POST', path: '/v1/auth/password/forgot', body: { email } });
  }

  /** Sets a password with the mailed token. Ends every session of the user. */
  async resetPassword(body: ResetPasswordBody): Promise<void> {
    await this.http.request({ method: 'POST', path: '/v1/auth/password/reset', body });
  }

  /** Creates a socket without opening it, so that listeners can be added before the first frame. */
  live({ room, ...options }: AgentLiveOptions = {}): AgentSocket {
    const { WebSocket, timeoutMs } = this.options;
    return new AgentSocket(`${this.addresses.ws}/ws/agent`, { room }, this.session, {
      WebSocket,
      timeoutMs,
      ...options,
    });
  }

  /** Opens a socket. @throws ApiError when it is refused or the service cannot be reached */
  connect(options: AgentLiveOptions = {}): Promise<AgentSocket> {
    return waitUntilConnected(this.live(options), options.timeoutMs ?? this.options.timeoutMs ?? 15_000);
  }

  /**
   * `rotate` makes each refresh token valid once: using a stolen one ends the session instead of working for a week.
   */
  private async signIn(path: string, body: object): Promise<AgentSessionView> {
    const session = await this.http.request<AgentSessionView>({
      method: 'POST',
      path,
      body: { ...body, rotate: true },
    });
    this.session.set(session);
    return session;
  }

  private async deriveClient(body: object, { onTokens, tokenStore }: OwnTokens): Promise<AgentClient> {
    const session = await this.api.post<AgentSessionView>('/v1/auth/agent-token', body);
    const client = new AgentClient({ ...this.options, onTokens, tokenStore });
    client.restore(session);
    return client;
  }
}
