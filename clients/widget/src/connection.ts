import {
  closedError,
  inOneTab,
  SharedLive,
  VisitorClient,
  type VisitorFrames,
  type VisitorOptions,
} from '@support-chat/sdk';
import type { Attributes, Identity } from './api.js';
import { sessionOptions, type ConnectionOptions } from './session-options.js';
import { backoffMs } from './state/backoff.js';
import type { VisitorFrame } from './state/chat-state.js';

/** `lost`: there is no socket now, and another attempt follows. `refused`: there is none, for good. */
export type LinkState = 'idle' | 'connecting' | 'connected' | 'lost' | 'refused';

export interface ConnectionEvents {
  frame(frame: VisitorFrame): void;
  /** The first connection, and each after which frames may be missing. */
  synchronize(client: VisitorClient): Promise<void>;
  changed(): void;
  /** The visitor was another person, whose session has ended. */
  forgotten(): void;
  refused(error: Error): void;
}

/** The visitor's session and socket. The only module that knows how the SDK opens them. */
export class Connection {
  state: LinkState = 'idle';
  /** Named by the page; default the browser's. */
  page: { url: string; title: string } | undefined;
  private opening: Promise<VisitorClient> | undefined;
  private socket: SharedLive<VisitorFrames> | undefined;
  /** The client of the socket, until the connection is closed. */
  private visitor: VisitorClient | undefined;
  /** The contact whose conversations are shown. */
  private contactId: string | undefined;
  /** A token that the service no longer accepts. */
  private refusedToken: string | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  /** The present state has been read; frames tell what changes. */
  private isSynchronized = false;
  /** The service has accepted the session before, so that another one may replace it. */
  private isReplaceable = false;
  /** Another tab knows better who the visitor is. */
  private followsTabs = false;
  private attributes: Attributes;
  /** Frames that wait until the responses that are older than they have been applied. */
  private delayed: VisitorFrame[] | undefined;

  constructor(
    private readonly options: ConnectionOptions,
    private readonly events: ConnectionEvents,
  ) {
    this.attributes = { ...options.identity.attributes };
  }

  /** False if another tab has become another visitor, or has forgotten this one. */
  get isCurrent(): boolean {
    const { visitor } = this;
    const { storage, identity } = this.options;
    if (identity.externalId && storage.get('person') !== identity.externalId) return false;
    return !visitor || storage.session?.contactId === visitor.storedSession.contactId;
  }

  /** Opens the session once; makes the contact. */
  client(): Promise<VisitorClient> {
    if (this.opening) return this.opening;
    const opening: Promise<VisitorClient> = this.openSession().then(
      client => {
        if (this.opening === opening) this.recognize(client);
        return client;
      },
      (error: unknown) => {
        if (this.opening === opening) this.opening = undefined;
        throw error;
      },
    );
    return (this.opening = opening);
  }

  /** Runs before anything is read or sent with the session. */
  private recognize({ storedSession: { contactId } }: VisitorClient): void {
    if (this.contactId !== undefined && this.contactId !== contactId) this.events.forgotten();
    this.contactId = contactId;
  }

  /** Forgets the visitor, who is another one in this browser now. Continues with the session of the other tab, if any. */
  forget(): void {
    const { identity, storage } = this.options;
    // another session of the same person
    if (identity.externalId && storage.get('person') === identity.externalId) return this.close();
    for (const field of ['externalId', 'identityToken', 'name', 'email', 'phone'] as const) delete identity[field];
    this.attributes = {};
    this.contactId = undefined;
    this.followsTabs = true;
    this.close();
  }

  /** Opens session and socket, and keeps trying. */
  connect(): void {
    if (this.socket || this.state === 'connecting' || this.state === 'refused') return;
    clearTimeout(this.timer);
    this.setState('connecting');
    const opening = this.client();
    opening.then(
      // Another visitor may have taken over meanwhile.
      client => this.opening === opening && this.openSocket(client),
      (error: Error & { status?: number }) => this.handleFailure(error),
    );
  }

  /** Tries at once, because the network is back. */
  wake(): void {
    if (this.state === 'lost' && !this.socket) this.connect();
  }

  identify(identity: Identity): void {
    Object.assign(this.options.identity, identity);
    this.contactId = undefined;
    this.followsTabs = false;
    this.close();
  }

  async setAttributes(attributes: Attributes): Promise<void> {
    Object.assign(this.attributes, attributes);
    if (this.opening) await (await this.client()).updateContact({ custom_attributes: attributes });
  }

  sendTyping(conversationId: string, isTyping: boolean): void {
    if (isTyping) this.socket?.typing(conversationId);
    else this.socket?.stopTyping(conversationId);
  }

  reportPage(page: typeof this.page): void {
    this.page = page;
    if (page) this.socket?.send({ type: 'page', ...page });
  }

  /** Reads the present state again, because a frame has not told all of it. */
  refresh(): void {
    this.isSynchronized = false;
    void this.opening?.then(client => this.synchronize(client));
  }

  /** Ends the socket and forgets the session. */
  close(): void {
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = undefined;
    this.opening = undefined;
    this.visitor = undefined;
    this.delayed = undefined;
    this.isSynchronized = false;
    this.setState('idle');
  }

  /** Continues the stored session, or starts one. Tabs do it one after the other, so that one session serves all. */
  private async openSession(): Promise<VisitorClient> {
    const { storage } = this.options;
    const { isNamedByTabs } = this;
    const client =
      this.restoreSession() ??
      (await inOneTab(storage.key('opening'), async () => this.restoreSession() ?? this.startSession()));
    // a page that does not name the visitor knows something about the one who is named in the storage
    if (this.isReplaceable && isNamedByTabs && !this.followsTabs && Object.keys(this.attributes).length) {
      await client.updateContact({ custom_attributes: this.attributes });
    }
    return client;
  }

  private restoreSession(): VisitorClient | undefined {
    const { storage } = this.options;
    const isKnown = this.followsTabs || this.isNamedByTabs || storage.get('details') === this.details;
    const stored = isKnown ? storage.session : undefined;
    if (!stored || stored.token === this.refusedToken) return undefined;
    const options = this.sessionOptions();
    if ((options.externalId ?? stored.externalId) !== stored.externalId) return undefined;
    this.isReplaceable = true;
    return VisitorClient.restore(stored, options);
  }

  private async startSession(): Promise<VisitorClient> {
    const { storage } = this.options;
    const { details } = this;
    // this page has no proof for the person whose session has ended
    if (this.isNamedByTabs) {
      storage.clear();
      this.events.forgotten();
    }
    const client = await VisitorClient.start(this.sessionOptions());
    storage.set('details', details);
    this.isReplaceable = false;
    return client;
  }

  /** The storage has the session of a person whom this page does not name. */
  private get isNamedByTabs(): boolean {
    const { storage, identity } = this.options;
    return !identity.externalId && storage.get('person') !== null;
  }

  /** A session that was opened with other details is not continued: the service must receive the new ones. */
  private get details(): string {
    const { name, email, phone } = this.options.identity;
    return JSON.stringify([name, email, phone, this.options.locale, this.attributes]);
  }

  private sessionOptions(): VisitorOptions {
    return sessionOptions(this.options, this.attributes, () => this.page);
  }

  private openSocket(client: VisitorClient): void {
    if (this.socket || this.state !== 'connecting') return;
    // All tabs of one visitor share a socket, and never those of two.
    this.visitor = client;
    // Later the client may have the session of a tab that has replaced this one.
    const { contactId, token } = client.storedSession;
    const name = this.options.storage.key(`live:${contactId}`);
    const socket = (this.socket = new SharedLive(name, options => client.live(options)));
    socket.on('*', frame => this.receive(client, frame));
    socket.on('closed', event => {
      if (this.socket !== socket) return;
      if (event.willReconnect) return this.setState('lost');
      this.socket = undefined;
      this.handleRefusal(closedError(event), token);
    });
    socket.open().catch(() => undefined);
  }

  private receive(client: VisitorClient, frame: VisitorFrame): void {
    if (frame.type === 'connected') {
      this.attempt = 0;
      this.isReplaceable = true;
      this.setState('connected');
      if (!this.isSynchronized) void this.synchronize(client);
    } else if (frame.type === 'sync.required') this.refresh();
    else if (this.delayed) this.delayed.push(frame);
    else this.events.frame(frame);
  }

  /** Holds frames back until the present state has been read: a response never undoes a later frame. */
  private async synchronize(client: VisitorClient): Promise<void> {
    if (this.delayed) return;
    clearTimeout(this.timer);
    const frames: VisitorFrame[] = (this.delayed = []);
    try {
      // Frames may be missing again before the state has been read.
      while (!this.isSynchronized && this.delayed === frames) {
        this.isSynchronized = true;
        await this.events.synchronize(client);
      }
    } catch {
      if (this.delayed !== frames) return;
      this.isSynchronized = false;
      this.timer = setTimeout(() => void this.synchronize(client), backoffMs(this.attempt++));
    } finally {
      // Another visitor may have taken over meanwhile.
      if (this.delayed === frames) {
        this.delayed = undefined;
        for (const frame of frames) this.events.frame(frame);
      }
    }
  }

  private handleFailure(error: Error & { status?: number }): void {
    if (this.state !== 'connecting') return;
    const { status = 0 } = error;
    if (status >= 400 && status < 500 && status !== 429) return this.handleRefusal(error);
    this.setState('lost');
    this.timer = setTimeout(() => this.connect(), backoffMs(this.attempt++));
  }

  /** The session may have ended: then it is replaced by another one, or by the one that another tab has opened. */
  private handleRefusal(error: Error & { status?: number }, token = this.options.storage.session?.token): void {
    if (this.isReplaceable && error.status === 401) {
      this.isReplaceable = false;
      this.refusedToken = token;
      this.close();
      return this.connect();
    }
    this.setState('refused');
    this.events.refused(error);
  }

  private setState(state: LinkState): void {
    this.state = state;
    this.events.changed();
  }
}
