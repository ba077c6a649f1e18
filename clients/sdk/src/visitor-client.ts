import { resolveAddresses, path, type Addresses } from './addresses.js';
import { AuthorizedApi } from './authorized-api.js';
import type { MessageRange, UpdateVisitorContactBody, VisitorMessageBody } from './bodies.js';
import { waitUntilConnected } from './wait-until-connected.js';
import type { VisitorFrames } from './frames.js';
import { HttpTransport } from './http.js';
import { LiveSocket, type LiveOptions } from './live-socket.js';
import { idempotencyHeader, withMessageId } from './idempotency.js';
import type { ClientOptions } from './options.js';
import type { Page, PageQuery } from './pages.js';
import type {
  VisitorConversationStartedView,
  VisitorContactView,
  VisitorConversationView,
  VisitorMessageView,
  WidgetSessionView,
} from './types.js';
import { loadOrCreateId, type KeyValueStore } from './visitor-identity.js';
import { VisitorSession, type VisitorIdentity } from './visitor-session.js';

export interface VisitorOptions extends ClientOptions, VisitorIdentity {
  /** Public; from the channel's settings. */
  widgetToken: string;
  /** Where the device keeps an id made for it; a page's `localStorage` unless told. */
  storage?: KeyValueStore | undefined;
}

export interface VisitorLiveOptions extends LiveOptions {
  /** Hears this conversation alone; without it all of the contact's, also those that begin later. */
  conversationId?: string | undefined;
}

export type VisitorSocket = LiveSocket<VisitorFrames>;

/** A visitor of a page: one contact, its conversations, nothing else. */
export class VisitorClient {
  private readonly api: AuthorizedApi;

  private constructor(
    private readonly visitor: VisitorSession,
    http: HttpTransport,
    private readonly addresses: Addresses,
    private readonly options: VisitorOptions,
  ) {
    this.api = new AuthorizedApi(http, visitor);
  }

  /** Opens a session: makes the contact, or finds it again. */
  static async start(options: VisitorOptions): Promise<VisitorClient> {
    const addresses = resolveAddresses(options.baseUrl, options.wsBaseUrl);
    const http = new HttpTransport(addresses.rest, options);
    const externalId = options.externalId ?? loadOrCreateId(options.widgetToken, options.storage);
    const session = new VisitorSession(http, options.widgetToken, externalId, options);
    await session.start();
    return new VisitorClient(session, http, addresses, options);
  }

  /** What the door answered last: the contact's id, the widget's configuration, the token. */
  get session(): WidgetSessionView {
    return this.visitor.view;
  }

  conversations(query?: PageQuery): Promise<Page<VisitorConversationView>> {
    return this.api.get('/v1/widget/conversations', query);
  }

  conversation(id: string): Promise<VisitorConversationView> {
    return this.api.get(path`/v1/widget/conversations/${id}`);
  }

  /** Begins a talk, or joins the unresolved one where the channel allows one only. Safe to repeat, like `send`. */
  startConversation(message: VisitorMessageBody | string): Promise<VisitorConversationStartedView> {
    const body = toMessage(message);
    // The message's id keeps it single within a conversation; the key keeps the conversation single.
    const headers = idempotencyHeader(body.client_message_id);
    return this.api.post('/v1/widget/conversations', { message: body }, { headers, repeatable: true });
  }

  /**
   * Says something; sent again when no answer came, which leaves one message however often it arrives. The answer's
   * `conversation_id` is another one when this one was resolved too long ago.
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

  /**
   * Who the visitor is. Name, e-mail and phone are told with proof of identity alone (`identityToken`): without it
   * anybody who knows the `externalId` could ask.
   */
  contact(): Promise<VisitorContactView> {
    return this.api.get('/v1/widget/contact');
  }

  /** Answers like `contact()`, and what `body` gave. */
  updateContact(body: UpdateVisitorContactBody): Promise<VisitorContactView> {
    return this.api.patch('/v1/widget/contact', body);
  }

  /** A socket that is not open yet, for those who want to listen before the first frame. */
  live({ conversationId, ...options }: VisitorLiveOptions = {}): VisitorSocket {
    const { WebSocket, timeoutMs } = this.options;
    const all = { WebSocket, timeoutMs, ...options };
    return new LiveSocket(`${this.addresses.ws}/ws/visitor`, { conv: conversationId }, this.visitor, all);
  }

  /** An open socket. @throws ApiError when it is refused or the service cannot be reached */
  connect(options: VisitorLiveOptions = {}): Promise<VisitorSocket> {
    return waitUntilConnected(this.live(options), options.timeoutMs ?? this.options.timeoutMs ?? 15_000);
  }
}

function toMessage(message: VisitorMessageBody | string): VisitorMessageBody & { client_message_id: string } {
  return withMessageId(typeof message === 'string' ? { content: message } : message);
}
