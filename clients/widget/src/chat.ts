import type { Translator } from '@support-chat/ui/translator.js';
import { uuid } from '@support-chat/sdk';
import type { AttachmentView, PreChatAnswers, UploadOptions, VisitorContactView } from '@support-chat/sdk';
import type { Announcement } from './announce.js';
import type { BootOptions, Identity } from './api.js';
import type { ChatCore, Route } from './chat-core.js';
import { Connection } from './connection.js';
import { openOutbox, openReadMarks } from './delivery.js';
import { FreshConfig } from './fresh-config.js';
import { acceptableIdentity } from './identity.js';
import { followFirstMessage, receive, synchronize } from './incoming.js';
import { loadLanguage, translatorOf, type Language } from './languages.js';
import { MessagesLoader } from './messages-loader.js';
import type { MessageKey } from './messages.js';
import type { Shell } from './seam.js';
import { Sound } from './sound.js';
import { ChatState } from './state/chat-state.js';
import { Drafts } from './state/drafts.js';
import type { Outbox, OutboxItem } from './state/outbox.js';
import type { Thread } from './state/thread.js';
import { VisitorStorage } from './state/visitor-storage.js';

/** The chat behind the views: what is known, what is shown, and everything that a visitor can do. */
export class ChatController implements ChatCore {
  state = new ChatState();
  readonly storage: VisitorStorage;
  readonly loader: MessagesLoader = new MessagesLoader(this);
  readonly reads = openReadMarks(this);
  readonly outbox: Outbox;
  readonly sound: Sound;
  readonly connection: Connection;
  translator: Translator<MessageKey>;
  route: Route;
  isOpen = false;
  contact: VisitorContactView | undefined;
  /** For screen readers: the latest message that has arrived. */
  announcements: Announcement[] = [];
  /** Result of the last action, shown above the composer. */
  notice: MessageKey | undefined;
  /** The visitor wants the transcript, and its address is not known. */
  asksForEmail = false;
  /** The conversation that a message of this page has begun or moved to: the visitor has seen all of it. */
  followedId: string | undefined;
  /** The visitor goes on with an ended conversation. */
  restarts = false;
  /** Counts texts that the page has put into the composer. */
  prefills = 0;
  /** Messages that were shown as the first ones of a new conversation. */
  firstIds: string[] = [];
  /** Set by the composer: attaches files that were dropped on the panel. */
  attachFiles: ((files: Iterable<File>) => void) | undefined;
  private readonly drafts: Drafts;
  private readonly listeners = new Set<() => void>();
  private localeRequests = 0;
  private readonly freshConfig = new FreshConfig(this);

  constructor(
    readonly shell: Shell,
    language: Language,
  ) {
    const options = acceptableIdentity(shell.options, shell.config);
    this.translator = translatorOf(language);
    this.storage = new VisitorStorage(shell.storage, shell.widgetToken);
    this.adoptPerson(options);
    this.sound = new Sound(this.storage);
    this.outbox = openOutbox(this);
    const id = this.storage.get('view');
    this.route = id || this.outbox.first.length ? { name: 'thread', id } : { name: 'home' };
    this.connection = this.openConnection(options);
    this.connection.page = shell.options.page;
    this.drafts = new Drafts(this.storage, this.connection, shell.config.features.typing);
  }

  get config() {
    return this.shell.config;
  }

  get text(): Translator<MessageKey>['text'] {
    return this.translator.text;
  }

  get thread(): Thread | undefined {
    return this.conversationId ? this.state.threads.get(this.conversationId) : undefined;
  }

  /** Id of the conversation that is shown; null for a new one and on the first screen. */
  get conversationId(): string | null {
    return this.route.name === 'thread' ? this.route.id : null;
  }

  /** A connection that the browser knows to be cut still looks open for a while. */
  get isOnline(): boolean {
    return this.connection.state !== 'lost' && navigator.onLine;
  }

  /** A first message that waits for the answers to the form, while the new conversation is shown. */
  get waitingForForm(): OutboxItem | undefined {
    if (this.route.name === 'home' || this.route.id) return undefined;
    return this.outbox.first.find(({ needsAnswers }) => needsAnswers);
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

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changed(): void {
    followFirstMessage(this);
    if (this.thread?.view.status !== 'resolved') this.restarts = false;
    const { text, shell } = this;
    shell.panel.ariaLabel = this.config.title || text('chat');
    const label = this.config.theme.launcher_label || text('chat');
    const count = this.state.unread;
    shell.setUnread(count, count ? text('launcherUnread', { label, count }) : label);
    for (const listener of this.listeners) listener();
  }

  setOpen(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.announcements = [];
    if (isOpen) {
      this.connection.connect();
      void this.freshConfig.refresh();
    }
    this.changed();
  }

  show(route: Route): void {
    this.drafts.stopTyping();
    this.notice = undefined;
    this.asksForEmail = false;
    this.restarts = false;
    this.route = route;
    const id = this.conversationId;
    this.storage.set('view', id);
    if (id) void this.loader.load(id);
    this.changed();
  }

  send(content: string, attachments: AttachmentView[]): void {
    const { conversationId } = this;
    const message: OutboxItem = {
      id: uuid(),
      conversationId,
      content,
      attachments,
      createdAt: new Date().toISOString(),
      needsAnswers: !conversationId && this.needsForm,
    };
    this.setDraft('');
    if (this.route.name === 'home') this.route = { name: 'thread', id: null };
    this.outbox.add(message);
    this.connection.connect();
    this.changed();
  }

  submitForm(preChat: PreChatAnswers): void {
    if (this.waitingForForm) this.outbox.answer(this.waitingForForm.id, preChat);
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

  get draft(): string {
    return this.drafts.get(this.conversationId);
  }

  setDraft(text: string): void {
    this.drafts.set(this.conversationId, text);
  }

  /** Shows the field for a message below an ended conversation. */
  restart(): void {
    this.restarts = true;
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

  async identify(person: Identity): Promise<void> {
    const identity = acceptableIdentity(person, this.config);
    if (this.adoptPerson(identity)) this.show({ name: 'home' });
    this.connection.identify(identity);
    if (this.storage.isReturning) await this.connection.client();
    if (this.isOpen) this.connection.connect();
  }

  /** @returns true if the person has changed */
  private adoptPerson(identity: Identity): boolean {
    if (!this.storage.adopt(identity)) return false;
    this.forgetState();
    return true;
  }

  /** Forgets what the former visitor has seen. */
  private startAnew(): void {
    this.outbox.beginAnew(new Set([...this.state.threads.keys(), this.conversationId]), this.needsForm);
    this.forgetState();
    this.show(this.outbox.first.length ? { name: 'thread', id: null } : { name: 'home' });
  }

  private forgetState(): void {
    this.state = new ChatState();
    this.contact = undefined;
    this.announcements = [];
    this.reads.clear();
  }

  /** Another tab has written to the storage: it may have become another person, who must not see the former one. */
  followOtherTabs(): void {
    const { connection, storage } = this;
    if (!connection.isCurrent) {
      connection.forget();
      this.startAnew();
    }
    if (connection.state === 'idle' && storage.isReturning) connection.connect();
    this.changed();
  }

  async setLocale(locale: string): Promise<void> {
    const request = (this.localeRequests += 1);
    const language = await loadLanguage(this.shell.baseUrl, locale);
    if (request !== this.localeRequests) return;
    this.translator = translatorOf(language);
    this.changed();
  }

  shutdown(): void {
    this.reads.clear();
    this.outbox.stop();
    this.storage.hasEnded = true;
    this.connection.close();
    this.listeners.clear();
  }

  /** Sends what waits for a connection, if there is one. */
  sendWaiting(): void {
    if (this.connection.state !== 'connected') return;
    void this.outbox.drain();
    void this.reads.flush();
  }

  private openConnection(options: BootOptions): Connection {
    const { storage, shell } = this;
    return new Connection(
      { ...shell, identity: { ...options }, locale: this.translator.locale, storage, deviceStorage: shell.storage },
      {
        frame: frame => receive(this, frame),
        synchronize: client => synchronize(this, client),
        changed: () => {
          this.sendWaiting();
          this.changed();
        },
        forgotten: () => this.withDraft(() => this.startAnew()),
        refused: error => this.shell.emit('error', error),
      },
    );
  }

  /** Shows the conversation that the message went to, with what has been written since. */
  follow(from: string | null, to: string): void {
    if (this.route.name !== 'thread' || this.conversationId !== from) return;
    this.followedId = to;
    this.withDraft(() => this.show({ name: 'thread', id: to }));
  }

  /** Takes what has been written along to the conversation that the action shows. */
  private withDraft(action: () => void): void {
    const { draft } = this;
    this.setDraft('');
    action();
    // Otherwise another tab has moved it.
    if (draft) this.setDraft(draft);
  }
}
