import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type {
  AgentMessageBody,
  BulkActionBody,
  CreateConversationBody,
  EditMessageBody,
  HandoffBody,
  ListConversationsQuery,
  MessageRange,
  ServerMessageBody,
  SnoozeBody,
  UpdateConversationBody,
  Versioned,
} from '../bodies.js';
import { joinLists } from '../inbox-filters.js';
import { idempotencyHeader, repeatableOnce, withMessageId } from '../idempotency.js';
import type { Page } from '../pages.js';
import type {
  BotTypingView,
  BulkResultsView,
  ConversationCountsView,
  ConversationView,
  DeletedView,
  MessageView,
  TranscriptFormat,
  TranscriptView,
} from '../types.js';

/** Conversations in the view of agents and servers. `M` is the message body of the caller. */
export class Conversations<M extends AgentMessageBody = AgentMessageBody> {
  constructor(protected readonly api: AuthorizedApi) {}

  list(query?: ListConversationsQuery): Promise<Page<ConversationView>> {
    return this.api.get('/v1/conversations', joinLists(query));
  }

  counts(): Promise<ConversationCountsView> {
    return this.api.get('/v1/conversations/counts');
  }

  get(id: string): Promise<ConversationView> {
    return this.api.get(path`/v1/conversations/${id}`);
  }

  /** Starts a conversation with a contact. @throws ApiError 409 `conversation_exists` if one is unresolved */
  create(body: CreateConversationBody<M>, options: { idempotencyKey?: string } = {}): Promise<ConversationView> {
    const headers = idempotencyHeader(options.idempotencyKey);
    const message = body.message && withMessageId(body.message);
    return this.api.post('/v1/conversations', message ? { ...body, message } : body, { headers });
  }

  update(id: string, body: UpdateConversationBody): Promise<ConversationView> {
    return this.api.patch(path`/v1/conversations/${id}`, body);
  }

  /** @param memberId null removes the assignee */
  assign(id: string, memberId: string | null, options?: Versioned): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/assign`, { member_id: memberId, ...options });
  }

  resolve(id: string, options?: Versioned): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/resolve`, options);
  }

  /** Reopens it; within 30 s after the caller's own resolve, that is taken back. */
  reopen(id: string, options?: Versioned): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/reopen`, options);
  }

  /** Sets it aside until a time, or until the contact writes. */
  snooze(id: string, body: SnoozeBody = {}): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/snooze`, body);
  }

  /** Ends a snooze. */
  wake(id: string, options?: Versioned): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/wake`, options);
  }

  /** Gives the conversation back to the other agents, with a note for the next one; takes it from a bot. */
  handOff(id: string, body: HandoffBody = {}): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/handoff`, body);
  }

  /** Acts on up to 100 conversations, each of which succeeds or fails alone. */
  bulk(body: BulkActionBody): Promise<BulkResultsView> {
    return this.api.post('/v1/conversations/bulk', body);
  }

  /** Marks everything up to `seq` as read by the agents. */
  read(id: string, seq: number): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/read`, { seq });
  }

  /** Returns the conversation as a file, with private notes. */
  transcript(id: string, format?: TranscriptFormat): Promise<TranscriptView> {
    return this.api.get(path`/v1/conversations/${id}/transcript`, { format });
  }

  /** Mails the conversation as the visitor sees it. */
  async mailTranscript(id: string, email: string): Promise<void> {
    await this.api.post(path`/v1/conversations/${id}/transcript`, { email }, repeatableOnce());
  }

  messages(id: string, range?: MessageRange): Promise<Page<MessageView>> {
    return this.api.get(path`/v1/conversations/${id}/messages`, range);
  }

  /** Sends a message. The SDK repeats the request when there is no response; only one message is created. */
  send(id: string, message: M): Promise<MessageView> {
    return this.api.post(path`/v1/conversations/${id}/messages`, withMessageId(message), { repeatable: true });
  }

  /** @throws ApiError 403 `not_sender`, 422 `edit_window_over` after 15 minutes */
  edit(id: string, messageId: string, body: EditMessageBody): Promise<MessageView> {
    return this.api.patch(path`/v1/conversations/${id}/messages/${messageId}`, body);
  }

  /** Removes the content of a message, for everybody. @throws ApiError as `edit` */
  unsend(id: string, messageId: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/conversations/${id}/messages/${messageId}`);
  }
}

/** Conversations of a server, whose messages name their member or bot. */
export class ServerConversations extends Conversations<ServerMessageBody> {
  /**
   * Shows the visitor for 8 s that the bot is typing, and gives the bot more time to answer.
   * @throws ApiError 403 `bot_not_in_control`
   */
  typing(id: string, botId: string): Promise<BotTypingView> {
    return this.api.post(path`/v1/conversations/${id}/typing`, { bot_id: botId });
  }
}

/** Conversations of an agent, who can take one over and sends in its own name. */
export class AgentConversations extends Conversations {
  override send(id: string, message: AgentMessageBody | string): Promise<MessageView> {
    return super.send(id, typeof message === 'string' ? { content: message } : message);
  }

  /** Assigns the conversation to the caller. */
  take(id: string, options?: Versioned): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/take`, options);
  }

  /** Ends the caller's participation until it writes, or is assigned or mentioned, again. */
  leave(id: string): Promise<ConversationView> {
    return this.api.post(path`/v1/conversations/${id}/leave`);
  }
}
