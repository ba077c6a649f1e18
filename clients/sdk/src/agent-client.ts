import { resolveAddresses, type Addresses } from './addresses.js';
import { AgentSession, type AgentTokens } from './agent-session.js';
import { AgentSocket } from './agent-socket.js';
import { AuthorizedApi } from './authorized-api.js';
import type { ChangePasswordBody, LoginBody, RegisterBody, RegisterUserBody, ResetPasswordBody } from './bodies.js';
import { waitUntilConnected } from './wait-until-connected.js';
import { HttpTransport } from './http.js';
import type { LiveOptions } from './live-socket.js';
import type { ClientOptions } from './options.js';
import { AgentApiKeys } from './resources/api-keys.js';
import { Bots } from './resources/bots.js';
import { CannedResponses } from './resources/canned-responses.js';
import { Channels } from './resources/channels.js';
import { Contacts } from './resources/contacts.js';
import { AgentConversations } from './resources/conversations.js';
import { Invites } from './resources/invites.js';
import { AgentMembers } from './resources/members.js';
import { Workspace } from './resources/workspace.js';
import type { AgentSessionView, InvitePreviewView, MeView } from './types.js';

export interface AgentOptions extends ClientOptions {
  /** Hears of every new pair of tokens, to keep them; null when the session has ended. */
  onTokens?: ((tokens: AgentTokens | null) => void) | undefined;
}

/** Who hears of the tokens of a client that has grown from another. */
export type OwnTokens = Pick<AgentOptions, 'onTokens'>;

export interface AgentLiveOptions extends LiveOptions {
  /** `inbox` unless told; a conversation's id for its room alone. */
  room?: string | undefined;
}

/** A member of a workspace at work. Log in, register, exchange a ticket, or restore kept tokens first. */
export class AgentClient {
  readonly conversations: AgentConversations;
  readonly contacts: Contacts;
  readonly channels: Channels;
  readonly cannedResponses: CannedResponses;
  readonly members: AgentMembers;
  readonly invites: Invites;
  readonly bots: Bots;
  readonly apiKeys: AgentApiKeys;
  readonly workspace: Workspace;
  private readonly addresses: Addresses;
  private readonly http: HttpTransport;
  private readonly session: AgentSession;
  private readonly api: AuthorizedApi;

  constructor(private readonly options: AgentOptions) {
    this.addresses = resolveAddresses(options.baseUrl, options.wsBaseUrl);
    this.http = new HttpTransport(this.addresses.rest, options);
    this.session = new AgentSession(this.http, tokens => options.onTokens?.(tokens));
    this.api = new AuthorizedApi(this.http, this.session);
    this.conversations = new AgentConversations(this.api);
    this.contacts = new Contacts(this.api);
    this.channels = new Channels(this.api);
    this.cannedResponses = new CannedResponses(this.api);
    this.members = new AgentMembers(this.api);
    this.invites = new Invites(this.api);
    this.bots = new Bots(this.api);
    this.apiKeys = new AgentApiKeys(this.api);
    this.workspace = new Workspace(this.api);
  }

  /** The tokens in use; undefined when nobody is logged in. */
  get tokens(): AgentTokens | undefined {
    return this.session.storedTokens;
  }

  /** Goes on with tokens kept from earlier, or made by another page of the same browser. */
  restore(tokens: AgentTokens): void {
    this.session.set(tokens);
  }

  login(body: LoginBody): Promise<AgentSessionView> {
    return this.signIn('/v1/auth/login', body);
  }

  /** Makes a workspace with the caller as its owner. */
  register(body: RegisterBody): Promise<AgentSessionView> {
    return this.signIn('/v1/auth/register', body);
  }

  /** Comes in by a ticket of single sign-on, which is good once, and for a minute; pages call `enterFromPage`. */
  exchange(ticket: string): Promise<AgentSessionView> {
    return this.signIn('/v1/auth/sso/exchange', { ticket });
  }

  /** What the link of an invite leads to, to be shown to whoever has followed it. */
  invitePreview(inviteToken: string): Promise<InvitePreviewView> {
    const body = { invite_token: inviteToken };
    return this.http.request({ method: 'POST', path: '/v1/auth/invite-preview', body });
  }

  /** Accepts an invite, once. The password becomes the new user's, or must be that of whoever has this e-mail. */
  registerUser(body: RegisterUserBody): Promise<AgentSessionView> {
    return this.signIn('/v1/auth/register-user', body);
  }

  /**
   * Another client of the same member that sees these channels alone, and may do what an agent may. This one stays as
   * it is; both end together, whichever logs out. Tokens of the new one are told to its own `onTokens`.
   */
  narrow(to: { channelIds: readonly string[] }, options: OwnTokens = {}): Promise<AgentClient> {
    return this.deriveClient({ channel_ids: to.channelIds }, options);
  }

  /**
   * Another client, of the same user in another of its workspaces, as `me()` lists them. This one stays as it is; both
   * end together. 403 `workspace_bound` for a session that was narrowed, or that an API key has opened.
   */
  switchWorkspace(workspaceId: string, options: OwnTokens = {}): Promise<AgentClient> {
    return this.deriveClient({ workspace_id: workspaceId }, options);
  }

  /** Renews the tokens now. Calls do so by themselves when theirs has expired. */
  async refresh(): Promise<void> {
    await this.session.renew(this.session.current());
  }

  /** Ends the session here in any case, and on the service when it can be reached. */
  async logout(): Promise<void> {
    const tokens = this.session.storedTokens;
    if (!tokens) return;
    this.session.clear();
    const body = { refresh_token: tokens.refresh_token };
    await this.http.request({ method: 'POST', path: '/v1/auth/logout', body });
  }

  me(): Promise<MeView> {
    return this.api.get('/v1/auth/me');
  }

  /** Ends the member's other sessions. */
  async changePassword(body: ChangePasswordBody): Promise<void> {
    await this.api.post('/v1/auth/password', body);
  }

  /** Answers alike whether the e-mail is known or not. */
  async forgotPassword(email: string): Promise<void> {
    await this.http.request({ method: 'POST', path: '/v1/auth/password/forgot', body: { email } });
  }

  /** Sets a password by the mailed token; every session of the user ends. */
  async resetPassword(body: ResetPasswordBody): Promise<void> {
    await this.http.request({ method: 'POST', path: '/v1/auth/password/reset', body });
  }

  /** A socket that is not open yet, for those who want to listen before the first frame. */
  live({ room, ...options }: AgentLiveOptions = {}): AgentSocket {
    const { WebSocket, timeoutMs } = this.options;
    return new AgentSocket(`${this.addresses.ws}/ws/agent`, { room }, this.session, {
      WebSocket,
      timeoutMs,
      ...options,
    });
  }

  /** An open socket. @throws ApiError when it is refused or the service cannot be reached */
  connect(options: AgentLiveOptions = {}): Promise<AgentSocket> {
    return waitUntilConnected(this.live(options), options.timeoutMs ?? this.options.timeoutMs ?? 15_000);
  }

  /** With `rotate`, each refresh token is good once: a stolen one ends the session instead of serving for a week. */
  private async signIn(path: string, body: object): Promise<AgentSessionView> {
    const session = await this.http.request<AgentSessionView>({
      method: 'POST',
      path,
      body: { ...body, rotate: true },
    });
    this.session.set(session);
    return session;
  }

  private async deriveClient(body: object, { onTokens }: OwnTokens): Promise<AgentClient> {
    const session = await this.api.post<AgentSessionView>('/v1/auth/agent-token', body);
    const client = new AgentClient({ ...this.options, onTokens });
    client.restore(session);
    return client;
  }
}
