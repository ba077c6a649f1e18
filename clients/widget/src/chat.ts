import { chooseLocale, createTranslator, type Translator } from '@support-chat/ui/translator.js';
import type {
  ApiError,
  AttachmentView,
  PreChatAnswers,
  UploadOptions,
  VisitorClient,
  VisitorContactView,
  VisitorMessageView,
} from '@support-chat/sdk';
import type { Identity } from './api.js';
import { Connection } from './connection.js';
import { en, type MessageKey } from './messages.js';
import type { Shell } from './seam.js';
import { Sound } from './sound.js';
import { ChatState, type VisitorFrame } from './state/chat-state.js';
import { Outbox, type OutboxItem } from './state/outbox.js';
import type { Thread } from './state/thread.js';

/** The view: the first screen, or a conversation. A conversation without an id begins with its first message. */
export type Route = { name: 'home' } | { name: 'thread'; id: string | null };

const LANGUAGES = ['en'];
const PAGE_SIZE = 50;
const READ_DELAY_MS = 400;
const TYPING_EVERY_MS = 3_000;

/** @param requested languages, the most welcome first. Dates follow the language that the texts have. */
function translatorFor(requested: (string | null | undefined)[]): Translator<MessageKey> {
  return createTranslator(
    chooseLocale(
      requested.filter(tag => tag != null),
      LANGUAGES,
    ),
    en,
  );
}

/** The chat behind the views: what is known, what is shown, and everything that a visitor can do. */
export class ChatController {
  state = new ChatState();
  readonly outbox: Outbox;
  readonly sound: Sound;
  connection: Connection;
  translator: Translator<MessageKey>;
  route: Route;
  isOpen = false;
  contact: VisitorContactView | undefined;
  /** A first message that waits for the answers to the form. */
  waitingForForm: OutboxItem | undefined;
  /** Text for screen readers: the latest message that has arrived. */
  announcement = '';
  /** Result of the last action, shown above the composer. */
  notice: MessageKey | undefined;
  /** The visitor wants the transcript, and its address is not known. */
  asksForEmail = false;
  /** The visitor goes on with an ended conversation. */
  restarts = false;
  /** Counts texts that the page has put into the composer. */
  prefills = 0;
  /** Set by the composer: attaches files that were dropped on the panel. */
  attachFiles: ((files: Iterable<File>) => void) | undefined;
  /** Conversations whose messages could not be loaded. */
  readonly failedLoads = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private readTimer: ReturnType<typeof setTimeout> | undefined;
  private typingAt = 0;

  constructor(readonly shell: Shell) {
    const { storage, options, config } = shell;
    this.translator = translatorFor([options.locale, config.locale, ...navigator.languages]);
    this.adoptPerson(options);
    const stored = storage.get(this.key('view'));
    this.route = stored ? { name: 'thread', id: stored } : { name: 'home' };
    this.sound = new Sound(storage, this.key('muted'));
    this.outbox = this.openOutbox();
    this.connection = this.openConnection();
  }

  get config() {
    return this.shell.config;
  }

  get thread(): Thread | undefined {
    return this.route.name === 'thread' && this.route.id ? this.state.threads.get(this.route.id) : undefined;
  }

  /** A connection that the browser knows to be cut still looks open for a while. */
  get isOnline(): boolean {
    return this.connection.state !== 'lost' && navigator.onLine;
  }

  /** The company asks for answers before a conversation starts. */
  get needsForm(): boolean {
    const { enabled, fields } = this.config.pre_chat_form;
    return enabled && fields.length > 0;
  }

  /** The conversation has ended, and the visitor has not asked to go on with it. */
  get hasEnded(): boolean {
    return this.thread?.view.status === 'resolved' && !this.restarts;
  }

  /** The first message is sent, nobody is there to answer it, and no address is known. */
  get suggestsEmail(): boolean {
    const { availability } = this.config;
    const isThere = availability.online && availability.within_business_hours;
    const hasAnswer = this.thread?.messages.some(({ sender_type }) => sender_type === 'agent');
    const isKnown = this.contact?.email || this.shell.storage.get(this.key('email'));
    return !!this.thread && !isThere && !hasAnswer && !isKnown && this.thread.view.status !== 'resolved';
  }

  key(name: string): string {
    return `support-chat:${this.shell.widgetToken}:${name}`;
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changed(): void {
    if (this.thread?.view.status !== 'resolved') this.restarts = false;
    const { text } = this.translator;
    const label = this.config.theme.launcher_label || text('chat');
    const count = this.state.unread;
    this.shell.setUnread(count, count ? text('launcherUnread', { label, count }) : label);
    for (const listener of this.listeners) listener();
  }

  setOpen(isOpen: boolean): void {
    this.isOpen = isOpen;
    if (isOpen) this.connection.connect();
    this.changed();
  }

  show(route: Route): void {
    this.stopTyping();
    this.notice = undefined;
    this.asksForEmail = false;
    this.restarts = false;
    this.route = route;
    this.shell.storage.set(this.key('view'), route.name === 'thread' ? route.id : null);
    if (route.name === 'thread' && route.id) void this.loadMessages(route.id);
    this.changed();
  }

  // Messages

  /** Reads the newest messages of a conversation unless they are known. */
  async loadMessages(id: string, again = false): Promise<void> {
    const { state } = this;
    const known = state.threads.get(id);
    if (known?.older !== undefined && !again) return;
    await this.attemptLoad(id, async client => {
      if (!known) state.applyConversation(await client.conversation(id));
      const page = await client.messages(id, { limit: PAGE_SIZE });
      const last = known?.messages.at(-1);
      const first = page.items[0];
      if (last && first && last.seq < first.seq && page.next_cursor) state.forgetMessages(id);
      state.applyMessages(id, page, state.threads.get(id)?.older === undefined);
    });
  }

  async loadOlder(id: string): Promise<void> {
    const { state } = this;
    const cursor = state.threads.get(id)?.older;
    if (!cursor) return;
    await this.attemptLoad(id, async client =>
      state.applyMessages(id, await client.messages(id, { cursor, limit: PAGE_SIZE }), true),
    );
  }

  private async attemptLoad(id: string, load: (client: VisitorClient) => Promise<void>): Promise<void> {
    this.failedLoads.delete(id);
    try {
      await load(await this.connection.client());
    } catch (error) {
      this.failedLoads.add(id);
      // A conversation of a former visitor of this browser is not found.
      if ((error as { status?: number }).status === 404) this.show({ name: 'home' });
    }
    this.changed();
  }

  send(content: string, attachments: AttachmentView[]): void {
    const id = this.route.name === 'thread' ? this.route.id : null;
    const message: OutboxItem = {
      id: globalThis.crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`,
      conversationId: id,
      content,
      attachments,
      createdAt: new Date().toISOString(),
    };
    this.setDraft('');
    this.stopTyping();
    if (this.route.name === 'home') this.route = { name: 'thread', id: null };
    if (!id && this.needsForm) this.waitingForForm = message;
    else this.outbox.add(message);
    this.connection.connect();
    this.changed();
  }

  submitForm(preChat: PreChatAnswers): void {
    const message = this.waitingForForm;
    this.waitingForForm = undefined;
    if (message) this.outbox.add({ ...message, preChat });
    this.changed();
  }

  /** Opens a new message. @param text replaces the draft */
  newMessage(text?: string): void {
    this.show({ name: 'thread', id: null });
    if (text !== undefined) this.setDraft(text);
    this.prefills++;
    this.changed();
  }

  async upload(file: File, options: UploadOptions): Promise<AttachmentView> {
    return (await this.connection.client()).attachments.upload(file, options);
  }

  /** Returns an address of the file that has not expired. */
  async freshUrl(id: string): Promise<AttachmentView> {
    return (await this.connection.client()).attachments.get(id);
  }

  // Drafts, typing, reading

  private get draftKey(): string {
    return this.key(`draft:${(this.route.name === 'thread' && this.route.id) || 'new'}`);
  }

  get draft(): string {
    return this.shell.storage.get(this.draftKey) ?? '';
  }

  setDraft(text: string): void {
    this.shell.storage.set(this.draftKey, text || null);
    if (text) this.startTyping();
    else this.stopTyping();
  }

  private startTyping(): void {
    const id = this.thread?.view.id;
    if (!id || !this.config.features.typing || Date.now() - this.typingAt < TYPING_EVERY_MS) return;
    this.typingAt = Date.now();
    this.connection.sendTyping(id, true);
  }

  private stopTyping(): void {
    if (this.typingAt && this.thread) this.connection.sendTyping(this.thread.view.id, false);
    this.typingAt = 0;
  }

  /** The visitor sees the newest message. */
  markRead(): void {
    const view = this.thread?.view;
    if (!view?.unread.contact || !this.isOpen || document.visibilityState !== 'visible') return;
    clearTimeout(this.readTimer);
    this.readTimer = setTimeout(() => {
      this.state.markRead(view.id);
      this.connection
        .client()
        .then(client => client.read(view.id, view.last_seq))
        .catch(() => undefined);
      this.changed();
    }, READ_DELAY_MS);
  }

  /** Shows the field for a message below an ended conversation. */
  restart(): void {
    this.restarts = true;
    this.changed();
  }

  // Actions on a conversation; they throw what the service refuses, for `perform`.

  async endChat(id: string): Promise<void> {
    this.state.applyConversation(await (await this.connection.client()).resolve(id));
  }

  async rate(id: string, score: number, comment: string): Promise<void> {
    const client = await this.connection.client();
    this.state.applyConversation(await client.rate(id, comment ? { score, comment } : { score }));
  }

  /** Sends the transcript to the visitor's address, and asks for one if there is none. */
  async mailTranscript(id: string): Promise<void> {
    try {
      await (await this.connection.client()).mailTranscript(id);
      this.notice = 'transcriptSent';
    } catch (error) {
      const { code } = error as Partial<ApiError>;
      if (code === 'email_missing') this.asksForEmail = true;
      else if (code === 'transcript_not_ready') this.notice = 'transcriptEarly';
      else throw error;
    }
  }

  async saveEmail(email: string): Promise<void> {
    this.contact = await (await this.connection.client()).updateContact({ email });
    this.shell.storage.set(this.key('email'), email);
    if (this.asksForEmail && this.thread) await this.mailTranscript(this.thread.view.id);
    this.asksForEmail = false;
    this.changed();
  }

  /** Runs an action of the menu or a card. Says in the chat when it has failed. */
  async perform(action: () => Promise<void> | void): Promise<void> {
    this.notice = undefined;
    try {
      await action();
    } catch {
      this.notice = 'actionFailed';
    }
    this.changed();
  }

  // The page

  async identify(identity: Identity): Promise<void> {
    if (this.adoptPerson(identity)) this.show({ name: 'home' });
    this.connection.identify(identity);
    if (this.shell.storage.get(this.key('session'))) await this.connection.client();
    if (this.isOpen) this.connection.connect();
  }

  /**
   * Another person than before finds nothing of the former one: browsers are shared. A visitor without a name who signs
   * in keeps what was not sent.
   * @returns true if the person has changed
   */
  private adoptPerson({ externalId, identityToken }: Identity): boolean {
    const { storage } = this.shell;
    const former = storage.get(this.key('person'));
    if (!externalId || !identityToken || former === externalId) return false;
    if (former) for (const key of storage.keys()) if (key.startsWith(this.key(''))) storage.set(key, null);
    storage.set(this.key('person'), externalId);
    storage.set(this.key('view'), null);
    this.state = new ChatState();
    this.contact = undefined;
    this.waitingForForm = undefined;
    this.announcement = '';
    return true;
  }

  setLocale(locale: string): void {
    this.translator = translatorFor([locale]);
    this.changed();
  }

  shutdown(): void {
    clearTimeout(this.readTimer);
    this.outbox.stop();
    this.connection.close();
    this.listeners.clear();
  }

  private openConnection(): Connection {
    const { baseUrl, widgetToken, options, storage } = this.shell;
    const identity = { ...options };
    return new Connection(
      { baseUrl, widgetToken, identity, locale: this.translator.locale, storage },
      {
        frame: frame => this.receive(frame),
        synchronize: client => this.synchronize(client),
        changed: () => {
          if (this.connection?.state === 'connected') void this.outbox.drain();
          this.changed();
        },
        refused: error => this.shell.emit('error', error),
      },
    );
  }

  private openOutbox(): Outbox {
    return new Outbox({
      storage: this.shell.storage,
      key: this.key('outbox'),
      send: item => this.sendItem(item),
      exclusive: async work => {
        // Only pages of a secure origin have locks; without them each tab sends what it has.
        if (navigator.locks as LockManager | undefined) await navigator.locks.request(this.key('outbox'), work);
        else await work();
      },
      changed: () => this.changed(),
      moved: (from, to) => this.follow(from, to),
    });
  }

  /** Shows the conversation that the message went to, with what has been written since. */
  private follow(from: string | null, to: string): void {
    if (this.route.name !== 'thread' || this.route.id !== from) return;
    const { draft } = this;
    this.setDraft('');
    this.show({ name: 'thread', id: to });
    this.setDraft(draft);
  }

  private async sendItem(item: OutboxItem): Promise<string> {
    const { state } = this;
    const client = await this.connection.client();
    const message = {
      client_message_id: item.id,
      ...(item.content && { content: item.content }),
      ...(item.attachments.length && { attachment_ids: item.attachments.map(({ id }) => id) }),
    };
    if (!item.conversationId) {
      const started = await client.startConversation(message, item.preChat);
      const thread = state.applyConversation(started.conversation);
      thread.older ??= started.message.seq === 1 ? null : undefined;
      thread.merge(started.message);
      return started.conversation.id;
    }
    const sent = await client.send(item.conversationId, message);
    const id = sent.conversation_id;
    if (!state.threads.has(id)) state.applyConversation(await client.conversation(id));
    state.threads.get(id)?.merge(sent);
    return id;
  }

  private async synchronize(client: VisitorClient): Promise<void> {
    this.shell.storage.set(this.key('session'), '1');
    this.contact = client.session.contact;
    const { state } = this;
    const mark = state.mark();
    const { items } = await client.conversations({ limit: 20 });
    for (const view of items) state.applyConversation(view, mark);
    if (state !== this.state) return;
    if (this.route.name === 'thread' && this.route.id) await this.loadMessages(this.route.id, true);
    else this.continueOpenConversation();
    void this.outbox.drain();
    this.changed();
  }

  /** A visitor who comes back sees the conversation that goes on, unless something has been written for a new one. */
  private continueOpenConversation(): void {
    const open = this.state.list.filter(({ view }) => view.status !== 'resolved');
    const isUntouched = this.route.name === 'home' && !this.draft && this.outbox.items.length === 0;
    if (isUntouched && open.length === 1 && open[0]) this.show({ name: 'thread', id: open[0].view.id });
  }

  private receive(frame: VisitorFrame): void {
    const message = this.state.applyFrame(frame);
    if (message) this.handleMessage(message);
    if (frame.type === 'typing') setTimeout(() => this.changed(), frame.data.expires_in_ms + 50);
    this.changed();
  }

  private handleMessage(message: VisitorMessageView): void {
    const { conversation_id, id, content, sender_type, content_type } = message;
    if (!this.state.threads.has(conversation_id)) void this.loadMessages(conversation_id);
    if (sender_type === 'contact' || content_type === 'event') return;
    const sender = message.sender_name ?? this.config.title;
    const text = content ?? message.attachments.map(({ name }) => name).join(', ');
    this.announcement = this.translator.text('received', { name: sender, text });
    this.shell.emit('message', { conversationId: conversation_id, id, text, sender });
    this.sound.play();
  }
}
