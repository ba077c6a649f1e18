import { resolveAddresses, path, type Addresses } from './addresses.js';
import { ApiError } from './api-error.js';
import { AuthorizedApi } from './authorized-api.js';
import type {
  MessageRange,
  PreChatAnswers,
  RateConversationBody,
  UpdateVisitorContactBody,
  VisitorMessageBody,
} from './bodies.js';
import { waitUntilConnected } from './wait-until-connected.js';
import { HttpTransport } from './http.js';
import type { LiveOptions } from './live-socket.js';
import { repeatableOnce, withMessageId } from './idempotency.js';
import type { ClientOptions } from './options.js';
import type { Page, PageQuery } from './pages.js';
import type {
  TranscriptFormat,
  TranscriptView,
  VisitorConversationStartedView,
  VisitorContactView,
  VisitorConversationView,
  VisitorMessageView,
  PublicWidgetConfigView,
  WidgetSessionView,
} from './types.js';
import { Attachments } from './resources/attachments.js';
import { readBrowserPage, type VisitedPage } from './visited-page.js';
import { loadOrCreateId, type KeyValueStore } from './visitor-identity.js';
import { VisitorSession, type StoredVisitorSession, type VisitorSessionOptions } from './visitor-session.js';
import { VisitorSocket } from './visitor-socket.js';

export interface VisitorOptions extends ClientOptions, VisitorSessionOptions {
  /** Storage for the generated id of this device; default the page's `localStorage`. */
  storage?: KeyValueStore | undefined;
  /** Returns the page that agents see; default the browser's page. Return undefined to show none. */
  page?: (() => VisitedPage | undefined) | undefined;
}

export interface VisitorLiveOptions extends LiveOptions {
  /** Receives only this conversation; default all conversations of the contact, including later ones. */
  conversationId?: string | undefined;
}

/** Client of a page's visitor: one contact and its conversations. */
export class VisitorClient {
  readonly attachments: Attachments;
  private readonly api: AuthorizedApi;

  private constructor(
    private readonly visitor: VisitorSession,
    http: HttpTransport,
    private readonly addresses: Addresses,
    private readonly options: VisitorOptions,
  ) {
    this.api = new AuthorizedApi(http, visitor);
    this.attachments = new Attachments(this.api, '/v1/widget/attachments');
  }

  /** Opens a session. Creates the contact, or finds it again. */
  static async start(options: VisitorOptions): Promise<VisitorClient> {
    const externalId = options.externalId ?? loadOrCreateId(options.widgetToken, options.storage);
    const client = VisitorClient.create(options, externalId);
    await client.visitor.start(client.readPage());
    return client;
  }

  /**
   * Continues a session that `onSession` received earlier, without a request. The first call whose token has expired
   * renews it.
   * @throws ApiError 401 `unauthenticated` if the session belongs to another `externalId` than the one given
   */
  static restore(stored: StoredVisitorSession, options: VisitorOptions): VisitorClient {
    const { externalId = stored.externalId } = options;
    if (externalId === stored.externalId) return VisitorClient.create(options, externalId, stored);
    const message = 'The stored session belongs to another visitor.';
    throw new ApiError({ status: 401, code: 'unauthenticated', message });
  }

  /** Returns the channel's name and widget settings, to draw a launcher. Creates no contact; may be a minute old. */
  static config(options: ClientOptions & { widgetToken: string }): Promise<PublicWidgetConfigView> {
    const http = new HttpTransport(resolveAddresses(options.baseUrl).rest, options);
    const query = { widget_token: options.widgetToken };
    return http.request({ method: 'GET', path: '/v1/widget/config', query, simple: true });
  }

  private static create(options: VisitorOptions, externalId: string, stored?: StoredVisitorSession): VisitorClient {
    const addresses = resolveAddresses(options.baseUrl, options.wsBaseUrl);
    const http = new HttpTransport(addresses.rest, options);
    return new VisitorClient(new VisitorSession(http, externalId, options, stored), http, addresses, options);
  }

  /**
   * The latest session response: the contact's id, the widget's configuration, the token.
   * @throws ApiError 401 `unauthenticated` after {@link restore}, until the token is renewed
   */
  get session(): WidgetSessionView {
    return this.visitor.view;
  }

  /** The session as plain data for {@link restore}. */
  get storedSession(): StoredVisitorSession {
    return this.visitor.storable;
  }

  conversations(query?: PageQuery): Promise<Page<VisitorConversationView>> {
    return this.api.get('/v1/widget/conversations', query);
  }

  conversation(id: string): Promise<VisitorConversationView> {
    return this.api.get(path`/v1/widget/conversations/${id}`);
  }

  /**
   * Starts a conversation. If the channel allows one unresolved conversation, joins that one, or reopens the latest one
   * within its reopen window. Safe to repeat, like `send`.
   * @param preChat answers to the fields of `widget_config.pre_chat_form`, by key; only a new conversation needs them
   */
  startConversation(
    message: VisitorMessageBody | string,
    preChat?: PreChatAnswers,
  ): Promise<VisitorConversationStartedView> {
    const body = toMessage(message);
    // The message id finds what an earlier call has sent; the key joins the repetitions of this call. Another call may
    // have other answers and another page, which one key would not allow.
    const options = repeatableOnce();
    const start = { message: body, pre_chat: preChat, page: this.readPage() };
    return this.api.post('/v1/widget/conversations', start, options);
  }

  /**
   * Sends a message. The SDK repeats the request when there is no response; only one message is created. The response
   * has another `conversation_id` if this conversation was resolved too long ago, or another one is unresolved.
   */
  send(conversationId: string, message: VisitorMessageBody | string): Promise<VisitorMessageView> {
    const body = toMessage(message);
    return this.api.post(path`/v1/widget/conversations/${conversationId}/messages`, body, { repeatable: true });
  }

  messages(conversationId: string, range?: MessageRange): Promise<Page<VisitorMessageView>> {
    return this.api.get(path`/v1/widget/conversations/${conversationId}/messages`, range);
  }

  /** Marks everything up to `seq` as read by the visitor. */
  read(conversationId: string, seq: number): Promise<VisitorConversationView> {
    return this.api.post(path`/v1/widget/conversations/${conversationId}/read`, { seq });
  }

  /** Ends the chat. @throws ApiError 403 `feature_disabled` unless the channel has the feature `end_chat` */
  resolve(conversationId: string): Promise<VisitorConversationView> {
    return this.api.post(path`/v1/widget/conversations/${conversationId}/resolve`);
  }

  /** Rates a resolved conversation, 1 to 5. @throws ApiError 409 `rating_closed` */
  rate(conversationId: string, rating: RateConversationBody): Promise<VisitorConversationView> {
    return this.api.post(path`/v1/widget/conversations/${conversationId}/rating`, rating);
  }

  transcript(conversationId: string, format?: TranscriptFormat): Promise<TranscriptView> {
    return this.api.get(path`/v1/widget/conversations/${conversationId}/transcript`, { format });
  }

  /** Mails the transcript to the visitor's own address. @throws ApiError 422 `email_missing`, 409 `transcript_not_ready` */
  async mailTranscript(conversationId: string): Promise<void> {
    await this.api.post(path`/v1/widget/conversations/${conversationId}/transcript`, undefined, repeatableOnce());
  }

  /**
   * Returns the visitor's contact. Name, e-mail and phone are included only with a proof of identity (`identityToken`);
   * otherwise anyone who knows the `externalId` could read them.
   */
  contact(): Promise<VisitorContactView> {
    return this.api.get('/v1/widget/contact');
  }

  /** Returns the same fields as `contact()`, and the fields of `body`. */
  updateContact(body: UpdateVisitorContactBody): Promise<VisitorContactView> {
    return this.api.patch('/v1/widget/contact', body);
  }

  /** Creates a socket without opening it, so that listeners can be added before the first frame. */
  live({ conversationId, ...options }: VisitorLiveOptions = {}): VisitorSocket {
    const { WebSocket, timeoutMs } = this.options;
    const all = { WebSocket, timeoutMs, ...options };
    const readPage = () => this.readPage();
    return new VisitorSocket(`${this.addresses.ws}/ws/visitor`, { conv: conversationId }, this.visitor, all, readPage);
  }

  /** Opens a socket. @throws ApiError when it is refused or the service cannot be reached */
  connect(options: VisitorLiveOptions = {}): Promise<VisitorSocket> {
    return waitUntilConnected(this.live(options), options.timeoutMs ?? this.options.timeoutMs ?? 15_000);
  }

  private readPage(): VisitedPage | undefined {
    return (this.options.page ?? readBrowserPage)();
  }
}

function toMessage(message: VisitorMessageBody | string): VisitorMessageBody & { client_message_id: string } {
  return withMessageId(typeof message === 'string' ? { content: message } : message);
}
