import { ApiError } from './api-error.js';
import { isRecord } from './envelope.js';
import type { ClientFrame } from './frames.js';
import type { LiveOptions, LiveSocket } from './live-socket.js';
import { cursorAfter, LiveStream, type AnyFrame } from './live-stream.js';
import type { ClosedEvent, LiveState } from './persistent-connection.js';
import { TabHistory } from './tab-history.js';
import type { LeaderMessage, TabAnswer, TabMessage, TabMessageBody } from './tab-messages.js';
import { currentTab, type Channel, type Tab } from './tab.js';
import { uuid } from './uuid.js';

export interface SharedLiveOptions {
  /** A stored cursor. If the other tabs do not have all events since, the tab gets `sync.required`. */
  after?: string | undefined;
  /** Overrides the browser's tab, for tests. */
  tab?: Tab | undefined;
}

const SYNC_REQUIRED: AnyFrame = { type: 'sync.required', data: { reason: 'tab' } };

/** A leader that does not answer a visible tab in this time, such as a suspended one, loses the socket to it. */
const LEADER_PATIENCE_MS = 1_000;

const LOCK_RELEASE_MS = 200;

/**
 * One socket for all tabs of a browser. The leader, which owns a Web Lock, has the socket and passes each frame on to
 * the other tabs. The browser passes the lock on when the leader's tab ends, however it ends, and a visible tab takes it
 * from a hidden or suspended one.
 *
 * Each tab receives each durable event once and in order. A new leader resumes at its cursor, and tabs ignore known
 * events. A tab that has lost a message of the leader asks for everything since its own cursor, and ignores the stream
 * until the answer. Without Web Locks or BroadcastChannel, and in Node, each tab has its own socket.
 */
export class SharedLive<F extends object> extends LiveStream<F> {
  private readonly id = uuid();
  private readonly tab: Tab;
  private readonly history = new TabHistory();
  /** The frames that show the present state to a tab that joins. */
  private readonly present = new Map<string, AnyFrame>();
  private currentState: LiveState = 'idle';
  private channel: Channel | undefined;
  /** The request for the lock, or the lock: an abort leaves it. */
  private request: AbortController | undefined;
  /** Present while this tab leads. */
  private socket: LiveSocket<F> | undefined;
  /** The leader whose stream this tab follows, and the number of its last entry here. */
  private term = 0;
  private count = 0;
  /** Present while the leader owes an answer. */
  private patience: ReturnType<typeof setTimeout> | undefined;
  private stopWatching: (() => void) | undefined;
  /** Frames of this tab that a new leader does not know, by type: the conversation it views, and its page. */
  private readonly lasting = new Map<string, ClientFrame>();

  /**
   * @param name one for each principal, such as a member's id: all tabs with it share a socket
   * @param createSocket called when this tab leads: `options => agent.live(options)`
   */
  constructor(
    private readonly name: string,
    private readonly createSocket: (options: Pick<LiveOptions, 'after'>) => LiveSocket<F>,
    { after, tab = currentTab() }: SharedLiveOptions = {},
  ) {
    super(after);
    this.tab = tab;
  }

  get state(): LiveState {
    return this.socket?.state ?? this.currentState;
  }

  /** True while this tab has the socket. Do where it is true what only one tab should do, such as notifications. */
  get isLeader(): boolean {
    return this.socket !== undefined;
  }

  open(): Promise<void> {
    if (this.currentState === 'idle') {
      this.currentState = 'connecting';
      this.join();
      this.stopWatching = this.tab.watch({
        changed: () => (this.socket ? this.post(this.sign()) : this.ask()),
        resumed: () => this.resume(),
        // A page with a lock or a connection could not be kept for the way back to it.
        left: () => this.leave(),
        returned: () => this.join(),
      });
    }
    return this.opened.promise;
  }

  wake(): void {
    if (this.socket) this.socket.wake();
    else this.ask();
  }

  /** A new socket receives the last `viewing` and `page` of each visible tab again. */
  send(frame: ClientFrame): boolean {
    if (frame.type === 'viewing' || frame.type === 'page') this.lasting.set(frame.type, frame);
    if (this.socket) return this.socket.send(frame);
    this.post({ send: frame });
    return this.currentState === 'connected';
  }

  /** Like `AgentSocket.viewing`. One socket views one conversation: the last call of all visible tabs counts. */
  viewing(conversationId: string | null): boolean {
    return this.send({ type: 'viewing', conversation_id: conversationId });
  }

  /** Leaves the shared socket. The other tabs keep it. */
  close(): void {
    this.end({ code: 1000, reason: 'closed by this side', willReconnect: false, waitMs: 0, error: undefined });
  }

  private join(): void {
    const { locks, BroadcastChannel } = this.tab;
    if (!locks || !BroadcastChannel) return this.lead();
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = ({ data }: { data: TabMessage }) => this.receive(data);
    this.compete();
    this.ask();
  }

  private leave(): void {
    this.request?.abort();
    this.stopSocket();
    this.answered();
    this.channel?.close();
    this.channel = undefined;
  }

  /** A leader that was suspended may have been replaced: the frames that wait for it are the next leader's. */
  private resume(): void {
    if (!this.socket) return this.ask();
    this.leave();
    this.join();
  }

  /** Waits for the lock, or takes it from its owner. Replaces the former request. */
  private compete(steal = false): void {
    this.request?.abort();
    const { signal } = (this.request = new AbortController());
    const own = () =>
      new Promise<void>(release => {
        if (signal.aborted) return release();
        signal.addEventListener('abort', () => release());
        this.lead();
      });
    this.tab.locks?.request(this.name, steal ? { steal } : { signal }, own).catch((error: Error) => {
      if (signal.aborted) return;
      // A page that may not use locks leads itself alone.
      if (error.name !== 'AbortError') return this.lead();
      this.stopSocket();
      this.post({ resigned: this.term });
      this.term = 0;
      this.compete();
      this.ask();
    });
  }

  private lead(): void {
    this.answered();
    // The random part tells two leaders of one millisecond apart.
    this.term = Math.max(Date.now() + Math.random(), this.term + 1);
    this.count = 0;
    this.present.clear();
    const socket = (this.socket = this.createSocket({ after: this.lastCursor }));
    const pass = (entry: AnyFrame): void => {
      if (this.socket !== socket) return;
      this.recordPresent(entry);
      this.count += 1;
      this.post({ ...this.sign(), entry, isFresh: this.lastCursor === undefined });
      this.apply(entry);
    };
    socket.on('*', frame => pass(frame as unknown as AnyFrame));
    socket.on('closed', ({ error, ...event }) =>
      // A channel copies an Error without its own fields.
      pass({ type: 'closed', event: { ...event, error: error && { ...error, message: error.message } } }),
    );
    this.post(this.sign());
    void socket.open();
  }

  private stopSocket(): void {
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
  }

  private sign(): LeaderMessage {
    return { term: this.term, count: this.count, visible: this.tab.isVisible() };
  }

  private recordPresent(entry: AnyFrame): void {
    const { type, data } = entry;
    if (type === 'connected' || type === 'closed') this.present.clear();
    else if (type !== 'presence.updated' && type !== 'viewing.updated') return;
    const fields = isRecord(data) ? data : {};
    const key = `${type} ${String(fields['subject_id'] ?? fields['conversation_id'])}`;
    // A tab treats everyone as offline of whom it has no frame.
    if (fields['status'] === 'offline') this.present.delete(key);
    else this.present.set(key, entry);
  }

  /** Asks the leader for everything since the cursor. A visible tab without an answer takes the lead. */
  private ask(): void {
    if (!this.channel) return;
    this.post({ ask: this.lastCursor ?? null });
    clearTimeout(this.patience);
    this.patience = setTimeout(() => {
      if (this.tab.isVisible()) return this.compete(true);
      this.term = 0;
      this.ask();
    }, LEADER_PATIENCE_MS);
  }

  private answered(): void {
    clearTimeout(this.patience);
    this.patience = undefined;
  }

  private receive(message: TabMessage): void {
    if (message.to !== undefined && message.to !== this.id) return;
    if ('term' in message) return this.follow(message);
    if ('resigned' in message) return this.unfollow(message.resigned);
    if (!this.socket) return;
    if ('send' in message) this.socket.send(message.send);
    else this.post({ ...this.sign(), answer: this.answerTo(message.ask) }, message.from);
  }

  private answerTo(cursor: string | null): TabAnswer {
    const missed = cursor === null ? [] : this.history.since(cursor);
    const seen = this.history.seenSince(this.lastCursor);
    return { after: cursor, present: [...this.present.values()], missed, cursor: this.lastCursor, seen };
  }

  private follow({ term, count, visible, entry, isFresh, answer }: LeaderMessage): void {
    if (this.socket) return;
    // The lock tells a leader that it was replaced. Until then its messages are ignored, if the new leader answers.
    const isFormer = term < this.term;
    const isNext = term === this.term && count === this.count + (entry ? 1 : 0);
    if (isFormer || (!isNext && !answer)) {
      if (this.patience === undefined) this.ask();
      return;
    }
    // Another answer came first: this one would leave a gap.
    if (answer && !isNext && answer.after !== (this.lastCursor ?? null)) return this.ask();
    this.answered();
    this.term = term;
    this.count = count;
    if (entry) {
      const isAfterGap = isFresh && entry.type === 'connected' && this.lastCursor !== undefined;
      this.apply(entry);
      if (isAfterGap) this.apply(SYNC_REQUIRED);
    } else if (answer && !isNext) this.synchronize(answer);
    if (!visible && this.tab.isVisible() && this.channel) this.compete(true);
  }

  /** A tab that had lost the lock when it began to lead has a larger term than the tab that has the lock. */
  private unfollow(term: number): void {
    if (this.socket || term !== this.term) return;
    this.term = 0;
    this.ask();
  }

  /** Continues in the leader's stream after a gap, or at its present end. */
  private synchronize({ after, present, missed, cursor, seen }: TabAnswer): void {
    for (const entry of present) this.show(entry);
    // A new leader that has received less than this tab receives the rest again. Without a cursor it begins later.
    const isBehind =
      !missed && (cursor === undefined || (this.history.since(cursor) && seen.every(id => this.seenIds.has(id))));
    for (const frame of missed ?? (isBehind ? [] : [SYNC_REQUIRED])) this.apply(frame);
    // A leader without a connection may have been suspended for hours: its cursor counts once it is connected.
    const isCurrent = (missed && after !== null) || present.some(({ type }) => type === 'connected');
    if (isCurrent) {
      this.lastCursor = cursor ?? this.lastCursor;
      this.history.add(this.lastCursor);
    }
    for (const id of seen) if (this.seenIds.add(id) && isCurrent) this.history.add(this.lastCursor, undefined, id);
  }

  private apply(entry: AnyFrame): void {
    this.history.record(entry, this.lastCursor);
    this.lastCursor = cursorAfter(entry) ?? this.lastCursor;
    // without a type it has only a cursor
    if (entry.type) this.show(entry);
  }

  private show(entry: AnyFrame): void {
    const { type } = entry;
    if (type === 'closed') return this.handleClosed(entry['event'] as ClosedEvent);
    if (type === 'connected') {
      this.currentState = 'connected';
      this.opened.resolve();
      if (this.tab.isVisible()) for (const frame of this.lasting.values()) this.send(frame);
    }
    this.dispatch(entry);
  }

  private handleClosed({ error, ...rest }: ClosedEvent): void {
    const event = { ...rest, error: error && new ApiError(error) };
    if (!event.willReconnect) {
      const { request } = this;
      if (this.socket) {
        // The other tabs must receive the end before one of them gets the lock, or it would try again.
        this.request = undefined;
        setTimeout(() => request?.abort(), LOCK_RELEASE_MS);
      }
      return this.end(event);
    }
    this.currentState = 'waiting';
    this.dispatchClosed(event);
  }

  private end(event: ClosedEvent): void {
    if (this.currentState === 'closed') return;
    this.currentState = 'closed';
    this.stopWatching?.();
    this.leave();
    this.dispatchClosed(event);
  }

  private post(body: TabMessageBody, to?: string): void {
    this.channel?.postMessage({ ...body, from: this.id, to } satisfies TabMessage);
  }
}
