import { resolveAddresses } from './addresses.js';
import { AuthorizedApi } from './authorized-api.js';
import type { ListEventsQuery, ServerMessageBody, SsoTicketBody } from './bodies.js';
import type { ServerEventPage } from './frames.js';
import { HttpTransport } from './http.js';
import type { ClientOptions } from './options.js';
import { ApiKeys } from './resources/api-keys.js';
import { Bots } from './resources/bots.js';
import { CannedResponses } from './resources/canned-responses.js';
import { Channels } from './resources/channels.js';
import { Contacts } from './resources/contacts.js';
import { Conversations } from './resources/conversations.js';
import { Invites } from './resources/invites.js';
import { ServerMembers } from './resources/members.js';
import { Sso } from './resources/sso.js';
import { Workspace } from './resources/workspace.js';
import { isBrowser } from './environment.js';
import type { AgentSessionView } from './types.js';

export interface ServerOptions extends Omit<ClientOptions, 'wsBaseUrl' | 'WebSocket'> {
  /** `svc_sk_…`; opens the whole workspace. */
  apiKey: string;
  /** For tools that run in a browser of the operator's own and in no other. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** A server that works with the workspace by an API key. Its messages name the member or bot who says them. */
export class ServerClient {
  readonly sso: Sso;
  readonly members: ServerMembers;
  readonly invites: Invites;
  readonly bots: Bots;
  readonly conversations: Conversations<ServerMessageBody>;
  readonly contacts: Contacts;
  readonly channels: Channels;
  readonly cannedResponses: CannedResponses;
  readonly apiKeys: ApiKeys;
  readonly workspace: Workspace;
  private readonly api: AuthorizedApi;

  /** @throws Error in a browser: a key in a page is everybody's key */
  constructor(options: ServerOptions) {
    if (isBrowser() && !options.dangerouslyAllowBrowser) {
      throw new Error('ServerClient holds a secret key and does not run in a browser: use it on a server.');
    }
    const { apiKey } = options;
    const http = new HttpTransport(resolveAddresses(options.baseUrl).rest, options);
    const api = new AuthorizedApi(http, { current: () => apiKey });
    this.api = api;
    this.sso = new Sso(api);
    this.members = new ServerMembers(api);
    this.invites = new Invites(api);
    this.bots = new Bots(api);
    this.conversations = new Conversations<ServerMessageBody>(api);
    this.contacts = new Contacts(api);
    this.channels = new Channels(api);
    this.cannedResponses = new CannedResponses(api);
    this.apiKeys = new ApiKeys(api);
    this.workspace = new Workspace(api);
  }

  /**
   * A member's session without a sign-in, for a server that works in its name: `AgentClient.restore()` takes it. It
   * never leaves the key's workspace, and ends with the key where that is revoked with `endSessions`.
   */
  agentToken(body: SsoTicketBody): Promise<AgentSessionView> {
    return this.api.post('/v1/auth/agent-token', body);
  }

  /**
   * What has happened, in the form of agents' frames, in order within each conversation; `type` narrows `data`. Go on from `cursor` always, at
   * once while `has_more`. 410 `cursor_expired` for one that is older than the log: read what you keep anew, then begin
   * without one.
   */
  events(query?: ListEventsQuery): Promise<ServerEventPage> {
    return this.api.get('/v1/events', query);
  }
}
