import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import { SharedLive, type AgentFrames, type ClosedEvent, type MemberView } from '@support-chat/sdk';
import type { SignedInSession } from '../entrance/entrance-state.js';
import { isLogged, type AgentFrame } from '../store/frame-log.js';
import { Presence } from '../store/presence.js';
import type { Snapshot } from '../snapshot/snapshot-storage.js';
import type { ConversationList } from '../store/conversation-list.js';
import { Store } from '../store/store.js';
import { Notices } from '../notices/notices.js';
import { toasts } from '../parts/toasts.js';
import { Counts } from './counts.js';
import { Directory } from './directory.js';
import { Drafts } from './drafts.js';
import { Outbox } from './outbox.js';
import { Reader } from './reader.js';
import { SnapshotWriter } from './snapshot-writer.js';

/** The connection as people understand it. */
export type Connection = 'connecting' | 'connected' | 'interrupted' | 'ended';

/** Frames of this time are shown together. */
const GATHER_MS = 16;
/** The screen paints within this time what was read. */
const PAINT_MS = 100;
/** Close code of a connection that this page has ended. */
const CLOSED_HERE = 1000;

/**
 * The live state of a signed-in member: the store, what feeds it, and the connection. The socket connects before the
 * first list is read, so that no event lies between the two.
 */
export class Desk {
  readonly store: Store;
  readonly presence: Presence;
  readonly directory: Directory;
  readonly counts: Counts;
  readonly notices: Notices;
  readonly toasts = toasts;
  readonly drafts: Drafts;
  readonly outbox: Outbox;
  readonly live: SharedLive<AgentFrames>;
  /** Number of conversations that want the member: its own open ones with something unread, and those of notifications. */
  readonly wanting: ReadonlySignal<number>;
  private readonly connectionSignal = signal<Connection>('connecting');
  readonly reader: Reader;
  private batched: AgentFrame[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly stops: (() => void)[] = [];
  private stopReading: (() => void) | undefined;
  private isAreaShown = false;
  private isClosed = false;
  /** The member's own open conversations, once they are being read. */
  private readonly own = signal<ConversationList | undefined>(undefined);
  private channelIds: readonly string[] | null;
  private readonly snapshots: SnapshotWriter;
  private shownList: ConversationList | undefined;
  /** The conversations of unsent texts were read; frames tell what becomes of them. */
  private areTextsChecked = false;

  constructor(private current: SignedInSession) {
    const { agent, me, snapshot } = current;
    this.store = new Store(me.member.id, id => this.forgetConversation(id));
    this.channelIds = me.member.channel_ids;
    this.notices = new Notices(agent);
    this.wanting = computed(() => {
      const ids = this.own.value?.ids.value ?? [];
      const unread = ids.filter(id => (this.store.conversation(id).value?.unread.agents ?? 0) > 0);
      return new Set([...unread, ...this.notices.unreadConversationIds.value]).size;
    });
    this.presence = new Presence(me.member.id);
    this.directory = new Directory(agent);
    this.counts = new Counts(agent);
    this.live = new SharedLive(`support-chat:desk:${me.member.id}`, options => agent.live(options));
    this.outbox = new Outbox(agent, this.store, me.member.id, pageStorage());
    this.drafts = new Drafts(me.member.id, pageStorage());
    this.reader = new Reader(agent, this.store);
    this.snapshots = new SnapshotWriter(current.snapshots, {
      sessionId: () => agent.sessionId,
      idle: () => this.reader.idle(),
      take: () => this.snapshot(),
    });
    if (!snapshot) return;
    this.directory.restore(snapshot);
    this.store.restore(snapshot.store);
  }

  get session(): SignedInSession {
    return this.current;
  }

  get agent(): SignedInSession['agent'] {
    return this.session.agent;
  }

  get memberId(): string {
    return this.session.me.member.id;
  }

  get connection(): ReadonlySignal<Connection> {
    return this.connectionSignal;
  }

  open(): void {
    const { live } = this;
    this.stops.push(
      live.on('*', frame => this.receive(frame as AgentFrame)),
      live.on('closed', event => this.handleClosed(event as ClosedEvent)),
      this.drafts.listen(window),
    );
    this.outbox.open();
    live.open().catch(() => undefined);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const stop of this.stops) stop();
    this.stopReading?.();
    this.counts.close();
    this.notices.close();
    this.reader.close();
    this.outbox.close();
    this.snapshots.close();
    this.presence.clear();
    this.live.close();
  }

  /** Removes what is stored of the member in this browser, at a sign-out. */
  forget(): void {
    this.outbox.forget();
    this.drafts.forget();
  }

  /** Takes the session of a reloaded `me`. */
  follow(session: SignedInSession): void {
    this.current = session;
    this.limitTo(session.me.member.channel_ids);
  }

  /** Names the list on the screen. Call it when another list or conversation is shown. */
  show(list: ConversationList | undefined): void {
    this.shownList = list ?? this.shownList;
    this.snapshots.requireWrite();
  }

  private snapshot(): Snapshot | undefined {
    const { shownList: list, session, store, directory } = this;
    if (this.connection.peek() !== 'connected' || !list || list.isNeeded || session.snapshot) return undefined;
    return { me: session.me, ...directory.snapshot(), store: store.snapshot(list) };
  }

  /** Removes what is stored of a conversation. */
  private forgetConversation(id: string): void {
    this.snapshots.wipe();
    this.drafts.remove(id);
    this.notices.forget(id);
    this.outbox.keep();
  }

  private receive(frame: AgentFrame): void {
    this.batched.push(frame);
    this.timer ??= setTimeout(() => this.applyBatched(), GATHER_MS);
  }

  private applyBatched(): void {
    this.timer = undefined;
    const frames = this.batched;
    this.batched = [];
    batch(() => {
      this.store.apply(...frames);
      for (const frame of frames) {
        this.presence.receive(frame);
        this.directory.receive(frame);
        this.counts.receive(frame);
        this.notices.receive(frame);
        if (isLogged(frame)) this.snapshots.requireWrite();
        if (frame.type === 'connected') this.handleConnected();
        if (frame.type === 'sync.required') this.handleGap();
        if (frame.type === 'member.updated' && frame.data.id === this.memberId) this.handleOwnChange(frame.data);
      }
    });
  }

  private handleConnected(): void {
    this.connectionSignal.value = 'connected';
    this.snapshots.requireWrite();
    this.outbox.work();
    if (this.session.snapshot) void this.session.confirm();
    this.stopReading ??= effect(() => this.reader.work());
    void this.readInBackground();
  }

  /** Without the missed events, what is stored may have to go. */
  private handleGap(): void {
    this.snapshots.wipe();
    this.areTextsChecked = false;
  }

  /** The area on the screen has asked for what it shows. */
  showArea(): void {
    if (this.isAreaShown) return;
    this.isAreaShown = true;
    void this.readInBackground();
  }

  /** Reads the rest, once what is on the screen was read. */
  private async readInBackground(): Promise<void> {
    if (!this.isAreaShown || this.connection.peek() !== 'connected') return;
    await this.reader.idle();
    await new Promise(resolve => setTimeout(resolve, PAINT_MS));
    if (this.isClosed) return;
    this.own.value ??= this.store.list({ status: 'open', assignee: 'me' });
    this.counts.requireRead(0);
    this.notices.requireRead(0);
    this.directory.load().catch(() => undefined);
    await this.checkTexts();
  }

  /** Reads the conversations of unsent texts: those that are gone lose them, now or as soon as their contact is erased. */
  private async checkTexts(): Promise<void> {
    if (this.areTextsChecked) return;
    this.areTextsChecked = true;
    const pending = this.store.pending.all().map(({ conversationId }) => conversationId);
    for (const id of new Set([...this.drafts.conversationIds(), ...pending])) {
      if (this.isClosed) return;
      if (!this.store.conversation(id).peek()) await this.reader.readConversations([id]);
      const contactId = this.store.conversation(id).peek()?.contact_id;
      // the service keeps the conversations of erased contacts, without their words
      if (contactId) await this.reader.readContact(contactId).catch(() => (this.areTextsChecked = false));
    }
  }

  /** An admin has changed the member's rights, or the member its profile in another tab. */
  private handleOwnChange({ channel_ids: channelIds }: MemberView): void {
    void this.session.reload();
    this.limitTo(channelIds);
  }

  private limitTo(channelIds: readonly string[] | null): void {
    if (JSON.stringify(channelIds) === JSON.stringify(this.channelIds)) return;
    this.channelIds = channelIds;
    this.receive({ type: 'sync.required', data: { reason: 'scope' } });
    void this.readInBackground();
  }

  private handleClosed({ willReconnect, code }: ClosedEvent): void {
    this.connectionSignal.value = willReconnect ? 'interrupted' : 'ended';
    // a page can ask only by a request why the service has ended its socket; if the session has ended, the answer leads
    // to the sign-in
    if (!willReconnect && code !== CLOSED_HERE) void this.agent.me().catch(() => undefined);
  }
}

/** @returns undefined where the browser stores nothing */
function pageStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
