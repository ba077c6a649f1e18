import { resolveAddresses } from './addresses.js';
import type { Collection } from './api-types.js';
import { AuthorizedApi } from './authorized-api.js';
import type { ListEventsQuery, SearchQuery, SsoTicketBody } from './bodies.js';
import type { ServerEventPage } from './frames.js';
import { endpointTestApi } from './endpoint-tests.js';
import { HttpTransport } from './http.js';
import type { ClientOptions } from './options.js';
import type { Page } from './pages.js';
import { ApiKeys } from './resources/api-keys.js';
import { Bots } from './resources/bots.js';
import { CannedResponses } from './resources/canned-responses.js';
import { Channels } from './resources/channels.js';
import { Contacts } from './resources/contacts.js';
import { Attachments } from './resources/attachments.js';
import { ServerConversations } from './resources/conversations.js';
import { Invites } from './resources/invites.js';
import { ServerMembers } from './resources/members.js';
import { Reports } from './resources/reports.js';
import { Resource } from './resources/resource.js';
import { Sso } from './resources/sso.js';
import { Tags } from './resources/tags.js';
import { Views } from './resources/views.js';
import { Webhooks } from './resources/webhooks.js';
import { Workspace } from './resources/workspace.js';
import { isBrowser } from './environment.js';
import type { AgentSessionView, FoundItemView } from './types.js';

export interface ServerOptions extends Omit<ClientOptions, 'wsBaseUrl' | 'WebSocket'> {
  /** `svc_sk_…`; gives access to the whole workspace. */
  apiKey: string;
  /** Allows use in a browser. Only for tools that nobody but the operator opens. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Client of a server with an API key. Its messages name the member or bot that sends them. */
export class ServerClient {
  readonly sso: Sso;
  readonly members: ServerMembers;
  readonly invites: Invites;
  readonly bots: Bots;
  readonly webhooks: Webhooks;
  readonly conversations: ServerConversations;
  readonly attachments: Attachments;
  readonly contacts: Contacts;
  readonly channels: Channels;
  readonly cannedResponses: CannedResponses;
  readonly tags: Tags;
  readonly views: Views;
  readonly reports: Reports;
  readonly apiKeys: ApiKeys;
  readonly workspace: Workspace;
  private readonly api: AuthorizedApi;

  /** @throws Error in a browser, because every visitor of a page can read a key in it */
  constructor(options: ServerOptions) {
    if (isBrowser() && !options.dangerouslyAllowBrowser) {
      throw new Error('ServerClient uses a secret key and does not run in a browser. Use it on a server.');
    }
    const { apiKey } = options;
    const { rest } = resolveAddresses(options.baseUrl);
    const credential = { current: () => apiKey };
    const api = new AuthorizedApi(new HttpTransport(rest, options), credential);
    const tests = endpointTestApi(rest, options, credential);
    this.api = api;
    this.sso = new Sso(api);
    this.members = new ServerMembers(api);
    this.invites = new Invites(api);
    this.bots = new Bots(api, tests);
    this.webhooks = new Webhooks(api, tests);
    this.conversations = new ServerConversations(api);
    this.attachments = new Attachments(api);
    this.contacts = new Contacts(api);
    this.channels = new Channels(api);
    this.cannedResponses = new CannedResponses(api);
    this.tags = new Tags(api);
    this.views = new Views(api);
    this.reports = new Reports(api);
    this.apiKeys = new ApiKeys(api);
    this.workspace = new Workspace(api);
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

  /**
   * Creates a session of a member, for a server that acts as that member; pass it to `AgentClient.restore()`. It never
   * leaves the key's workspace. It ends when the key is revoked with `endSessions`.
   */
  agentToken(body: SsoTicketBody): Promise<AgentSessionView> {
    return this.api.post('/v1/auth/agent-token', body);
  }

  /**
   * Reads the event log: the events that agents' sockets receive, in order within each conversation; `type` narrows
   * `data`. Always continue from `cursor`, at once while `has_more` is true.
   * @throws ApiError 410 `cursor_expired` for a cursor older than the log: reload your copy, then start without a
   * cursor
   */
  events(query?: ListEventsQuery): Promise<ServerEventPage> {
    return this.api.get('/v1/events', query);
  }
}
