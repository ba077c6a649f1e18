import type { ContactView, ConversationView, MessageRange, MessageView, Page } from '@support-chat/sdk';
import type { EventFrame } from '../../clients/dashboard/src/store/frame-log.js';

export type Fields = Omit<ConversationView, 'contact'>;
type Draft = Partial<MessageView> & Pick<MessageView, 'sender_type' | 'sender_id'>;

/** A list as the service sees it, written apart from the store's filter. */
export interface PlayList {
  matches(view: ConversationView): boolean;
  /** Ascending; a descending list reverses it. */
  keyOf(view: ConversationView): string;
  descending: boolean;
}

const WORKSPACE = 'w';
const START = Date.parse('2026-01-01T00:00:00Z');

/** A small model of the service: conversations, messages and contacts in memory. Each change appends frames to `frames`. */
export class PlayService {
  readonly frames: EventFrame[] = [];
  readonly conversations = new Map<string, Fields>();
  readonly contacts = new Map<string, ContactView>();
  readonly erasedIds = new Set<string>();
  private readonly messages = new Map<string, MessageView[]>();
  private readonly awaitsFirstResponse = new Set<string>();
  private nextId = 1;
  private elapsed = 0;

  /** Present time in wire format. It passes with each change. */
  get now(): string {
    return `${new Date(START + this.elapsed).toISOString().slice(0, -1)}000Z`;
  }

  pass(ms: number): void {
    this.elapsed += ms;
  }

  // Reads

  get(id: string): ConversationView | undefined {
    const fields = this.conversations.get(id);
    if (!fields || this.erasedIds.has(id)) return undefined;
    const { id: contactId, name, email, avatar_url, verified } = this.contacts.get(fields.contact_id)!;
    return structuredClone({ ...fields, contact: { id: contactId, name, email, avatar_url, verified } });
  }

  listAll({ matches, keyOf, descending }: PlayList): ConversationView[] {
    const views = [...this.conversations.keys()].flatMap(id => this.get(id) ?? []).filter(matches);
    views.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    return descending ? views.reverse() : views;
  }

  list(list: PlayList, cursor: string | undefined, limit: number): Page<ConversationView> {
    const all = this.listAll(list);
    const isAfter = (view: ConversationView) => {
      const key = list.keyOf(view);
      return cursor === undefined || (list.descending ? key < cursor : key > cursor);
    };
    const after = all.filter(isAfter);
    const items = after.slice(0, limit);
    return { items, next_cursor: after.length > limit ? list.keyOf(items.at(-1)!) : null };
  }

  read(id: string, { before_seq, after_seq, limit = 50 }: MessageRange): Page<MessageView> | undefined {
    if (this.erasedIds.has(id)) return undefined;
    const all = structuredClone(this.messages.get(id)!);
    if (after_seq !== undefined) {
      const later = all.filter(({ seq }) => seq > after_seq);
      const items = later.slice(0, limit);
      return { items, next_cursor: later.length > limit ? 'more' : null };
    }
    const earlier = all.filter(({ seq }) => before_seq === undefined || seq < before_seq);
    return { items: earlier.slice(-limit), next_cursor: earlier.length > limit ? 'more' : null };
  }

  allMessages(id: string): MessageView[] {
    return this.messages.get(id)!;
  }

  // Changes

  /** @param byContact false if an agent starts it */
  create(contactName: string, channelId: string, byContact: boolean): string {
    const id = this.newId('c');
    const contact = this.createContact(contactName);
    const context = byContact ? NO_CONTEXT : null;
    const conversation = { ...newConversation(id, contact.id, channelId, this.now, this.nextId), context };
    this.conversations.set(id, conversation);
    this.messages.set(id, []);
    const { id: contactId, name, email, avatar_url, verified } = contact;
    const summary = { id: contactId, name, email, avatar_url, verified };
    this.emit(id, 'conversation.created', { conversation: structuredClone(conversation), contact: summary });
    return id;
  }

  createContact(name: string): ContactView {
    const contact = { ...NEW_CONTACT, id: this.newId('p'), name, created_at: this.now, updated_at: this.now };
    this.contacts.set(contact.id, contact);
    return contact;
  }

  contactWrites(id: string, content: string): void {
    const { status, contact_id: contactId } = this.at(id);
    if (status === 'resolved') this.reopen(id);
    if (status === 'snoozed') this.change(id, { status: 'open', snoozed_until: null }, 'woken');
    const message = this.append(id, { sender_type: 'contact', sender_id: contactId, content });
    const { control, waiting_since: since, first_response_at: answeredAt, unread } = this.at(id);
    const waiting_since = control === 'bot' ? null : (since ?? message.created_at);
    if (answeredAt === null) this.awaitsFirstResponse.add(id);
    this.publish(id, message, { waiting_since, unread: { ...unread, agents: unread.agents + 1 } });
  }

  agentWrites(id: string, memberId: string, content: string, clientMessageId: string | null = null): MessageView {
    if (this.at(id).status === 'resolved') this.reopen(id);
    if (this.at(id).status === 'pending')
      this.change(id, { status: 'open', control: 'human', waiting_since: this.now });
    const sender = { sender_type: 'agent', sender_id: memberId, sender_name: memberId } as const;
    const message = this.append(id, { ...sender, content, client_message_id: clientMessageId });
    const unread = { agents: 0, contact: this.at(id).unread.contact + 1 };
    const first = this.awaitsFirstResponse.delete(id) ? { first_response_at: message.created_at } : {};
    this.publish(id, message, { unread, waiting_since: null, agent_last_read_seq: message.seq, ...first });
    return message;
  }

  botWrites(id: string, content: string, isAutomatic: boolean): void {
    const metadata = isAutomatic ? { auto: 'greeting' } : {};
    const message = this.append(id, { sender_type: 'bot', sender_id: 'bot', sender_name: 'Bot', content, metadata });
    const { unread } = this.at(id);
    const answered = isAutomatic ? {} : { waiting_since: null };
    this.publish(id, message, { ...answered, unread: { ...unread, contact: unread.contact + 1 } });
  }

  agentNotes(id: string, memberId: string, content: string, clientMessageId: string | null = null): MessageView {
    const draft = { sender_type: 'agent', sender_id: memberId, private: true, content } as const;
    const message = this.append(id, { ...draft, client_message_id: clientMessageId });
    this.publish(id, message, {});
    return message;
  }

  edit(id: string, seq: number, content: string): void {
    this.rewrite(id, seq, 'message.updated', { content, edited_at: this.now });
  }

  unsend(id: string, seq: number): void {
    this.rewrite(id, seq, 'message.deleted', { content: null, metadata: {}, deleted_at: this.now });
  }

  readBy(id: string, reader: 'agents' | 'contact', upTo: number): void {
    const field = reader === 'agents' ? 'agent_last_read_seq' : 'contact_last_read_seq';
    const seq = Math.min(upTo, this.at(id).last_seq);
    if (seq <= this.at(id)[field]) return;
    this.set(id, { [field]: seq });
    this.set(id, { unread: { ...this.at(id).unread, [reader]: this.recount(id)[reader] } });
    this.emit(id, 'conversation.read', { id, reader, last_read_seq: seq });
  }

  assign(id: string, memberId: string | null): void {
    if (this.at(id).status === 'resolved') return;
    this.change(id, { assignee_id: memberId }, memberId === null ? 'unassigned' : 'assigned');
  }

  resolve(id: string): void {
    if (this.at(id).status === 'resolved') return;
    const resolved = { status: 'resolved', resolved_at: this.now, resolved_by: { type: 'member', id: 'm1' } } as const;
    this.change(id, { ...resolved, snoozed_until: null, waiting_since: null }, 'resolved');
  }

  reopen(id: string): void {
    const { status, reopened_count: count } = this.at(id);
    if (status !== 'resolved') return;
    const reopened = { status: 'open', control: 'human', resolved_at: null, resolved_by: null } as const;
    this.change(id, { ...reopened, reopened_count: count + 1 }, 'reopened');
  }

  snooze(id: string): void {
    if (this.at(id).status === 'open') this.change(id, { status: 'snoozed', snoozed_until: this.now }, 'snoozed');
  }

  /** Changes fields that have no entry in the timeline. */
  update(id: string, fields: Partial<Fields>): void {
    this.change(id, fields);
  }

  updateContact(id: string, name: string): void {
    const contact = { ...this.contacts.get(id)!, name, updated_at: this.now };
    this.contacts.set(id, contact);
    this.emit(undefined, 'contact.updated', structuredClone(contact));
  }

  /** Moves all conversations of a contact to another one. */
  merge(fromId: string, intoId: string): void {
    for (const { id } of this.ofContact(fromId)) this.change(id, { contact_id: intoId });
    this.contacts.delete(fromId);
    this.emit(undefined, 'contact.merged', { id: fromId, into_id: intoId });
  }

  erase(contactId: string): void {
    const ids = this.ofContact(contactId).map(({ id }) => id);
    for (const id of ids) this.erasedIds.add(id);
    this.emit(undefined, 'contact.deleted', { id: contactId });
    for (const id of ids) this.resolve(id);
  }

  renameTag(from: string, to: string): void {
    for (const [id, { tags }] of this.conversations) {
      if (tags.includes(from)) this.set(id, { tags: tags.map(tag => (tag === from ? to : tag)) });
    }
    this.emit(undefined, 'tag.updated', { from, to });
  }

  private at(id: string): Fields {
    return this.conversations.get(id)!;
  }

  private ofContact(contactId: string): Fields[] {
    return [...this.conversations.values()].filter(
      ({ id, contact_id }) => contact_id === contactId && !this.erasedIds.has(id),
    );
  }

  private set(id: string, fields: Partial<Fields>): void {
    this.conversations.set(id, { ...this.at(id), ...fields });
  }

  private change(id: string, fields: Partial<Fields>, entry?: string): void {
    const before: Record<string, unknown> = { ...this.at(id) };
    const differing = Object.entries(fields).filter(
      ([name, to]) => JSON.stringify(before[name]) !== JSON.stringify(to),
    );
    if (differing.length === 0) return;
    const version = this.at(id).version + 1;
    this.set(id, { ...fields, version, updated_at: this.now });
    const changes = Object.fromEntries(differing.map(([name, to]) => [name, { from: before[name], to }]));
    this.emit(id, 'conversation.updated', { id, changes, version, actor: { type: 'member', id: 'm1' } });
    if (entry === undefined) return;
    const draft = { content_type: 'event', sender_type: 'agent', sender_id: 'm1', private: true } as const;
    this.publish(id, this.append(id, { ...draft, metadata: { event: entry } }), {});
  }

  private append(id: string, draft: Draft): MessageView {
    const seq = this.at(id).last_seq + 1;
    const message = { ...NEW_MESSAGE, ...draft, id: `${id}-${seq}`, conversation_id: id, seq, created_at: this.now };
    this.messages.get(id)!.push(message);
    return message;
  }

  private publish(id: string, message: MessageView, moved: Partial<Fields>): void {
    const { id: messageId, content, sender_type, created_at, seq, content_type } = message;
    this.set(id, { last_seq: seq, updated_at: created_at, ...moved });
    const last_message = { id: messageId, preview: (content ?? '').slice(0, 140), sender_type, created_at };
    if (content_type !== 'event') this.set(id, { last_message, last_activity_at: created_at });
    const { status, unread, last_activity_at } = this.at(id);
    const conversation = { id, status, last_seq: seq, unread, last_activity_at };
    this.emit(id, 'message.created', structuredClone({ message, conversation }));
  }

  private rewrite(
    id: string,
    seq: number,
    type: 'message.updated' | 'message.deleted',
    fields: Partial<MessageView>,
  ): void {
    const messages = this.messages.get(id)!;
    const index = messages.findIndex(message => message.seq === seq);
    const message = messages[index];
    if (!message || message.deleted_at !== null || message.content_type === 'event') return;
    const changed = (messages[index] = { ...message, ...fields });
    const { last_message: shown } = this.at(id);
    if (type === 'message.deleted') this.set(id, { unread: this.recount(id) });
    if (shown?.id === changed.id) this.set(id, { last_message: { ...shown, preview: changed.content ?? '' } });
    this.emit(id, type, { message: structuredClone(changed) });
  }

  private recount(id: string): Fields['unread'] {
    const { agent_last_read_seq: agentsSeq, contact_last_read_seq: contactSeq } = this.at(id);
    const sent = this.messages.get(id)!.filter(({ deleted_at }) => deleted_at === null);
    const agents = sent.filter(({ sender_type, seq }) => sender_type === 'contact' && seq > agentsSeq).length;
    const isPublic = (message: MessageView) => !message.private && message.content_type !== 'event';
    const contact = sent.filter(one => one.sender_type !== 'contact' && isPublic(one) && one.seq > contactSeq).length;
    return { agents, contact };
  }

  private emit(conversationId: string | undefined, type: EventFrame['type'], data: unknown): void {
    const target = conversationId === undefined ? {} : { conversation_id: conversationId };
    const channel = conversationId === undefined ? {} : { channel_id: this.at(conversationId).channel_id };
    const id = this.newId('e');
    this.frames.push({ type, id, cursor: id, timestamp: this.now, ...target, ...channel, data } as EventFrame);
  }

  private newId(prefix: string): string {
    return `${prefix}${String(this.nextId++).padStart(6, '0')}`;
  }
}

const NO_CONTEXT = { page: null, locale: null, timezone: null, browser: null, os: null, device: null };

const NEW_CONTACT: Omit<ContactView, 'id' | 'created_at' | 'updated_at'> = {
  external_id: null,
  name: null,
  email: null,
  phone: null,
  avatar_url: null,
  locale: null,
  timezone: null,
  verified: false,
  blocked: false,
  email_unsubscribed: false,
  custom_attributes: {},
  last_seen_at: null,
};

const NEW_MESSAGE: Omit<MessageView, 'id' | 'conversation_id' | 'seq' | 'sender_type' | 'sender_id' | 'created_at'> = {
  workspace_id: WORKSPACE,
  sender_name: null,
  sender_avatar_url: null,
  content_type: 'text',
  content: null,
  attachments: [],
  metadata: {},
  client_message_id: null,
  private: false,
  reply_to_id: null,
  edited_at: null,
  deleted_at: null,
};

function newConversation(id: string, contactId: string, channelId: string, now: string, number: number): Fields {
  return {
    id,
    number,
    workspace_id: WORKSPACE,
    channel_id: channelId,
    contact_id: contactId,
    status: 'open',
    priority: 'none',
    assignee_id: null,
    bot_id: null,
    control: 'human',
    subject: null,
    tags: [],
    custom_attributes: {},
    snoozed_until: null,
    waiting_since: null,
    first_response_at: null,
    last_message: null,
    last_activity_at: now,
    last_seq: 0,
    unread: { agents: 0, contact: 0 },
    agent_last_read_seq: 0,
    contact_last_read_seq: 0,
    resolved_at: null,
    resolved_by: null,
    reopened_count: 0,
    previous_conversation_id: null,
    csat: null,
    context: null,
    pre_chat: null,
    handoff: null,
    version: 1,
    created_at: now,
    updated_at: now,
  };
}
