import { ApiError } from './api-error.js';
import type { ClientFrame } from './frames.js';
import type { LiveOptions, LiveSocket } from './live-socket.js';
import { cursorAfter, LiveStream, type AnyFrame } from './live-stream.js';
import type { ClosedEvent, LiveState } from './persistent-connection.js';
import { TabElection } from './tab-election.js';
import { TabLeader } from './tab-leader.js';
import type { TabMessage, TabMessageBody, TabMessageOf } from './tab-messages.js';
import { currentTab, type Channel, type Tab } from './tab.js';
import { uuid } from './uuid.js';

export interface SharedLiveOptions {
  /** A stored cursor. If the tabs have received newer events already, the tab gets `sync.required`. */
  after?: string | undefined;
  /** Overrides the browser's tab, for tests. */
  tab?: Tab | undefined;
}

/** A leader that does not answer a visible tab in this time, such as a suspended one, loses the socket to it. */
const LEADER_PATIENCE_MS = 1_000;

/**
 * One socket for all tabs of a browser. The tab that leads has the socket and passes each frame on to the others, whose
 * frames it sends. A visible tab takes the lead from a hidden one. Each tab receives each durable event once and in
 * order, whichever tab leads: a new leader resumes at its cursor, and tabs ignore known events. Without Web Locks or
 * BroadcastChannel, and in Node, it is a socket of its own.
 */
export class SharedLive<F extends object> extends LiveStream<F> {
  private readonly id = uuid();
  private readonly tab: Tab;
  private readonly channel: Channel | undefined;
  private readonly election: TabElection | undefined;
  private currentState: LiveState = 'idle';
  /** Present while this tab leads. */
  private leader: TabLeader<F> | undefined;
  /** The last other tab that became the leader, and the number of its messages to all. */
  private leaderId: string | undefined;
  private count = 0;
  /** False until this tab knows from which cursor on it receives all events. */
  private joined = false;
  private viewed: ClientFrame | undefined;
  private claimTimer: ReturnType<typeof setTimeout> | undefined;
  private stopWatching: (() => void) | undefined;

  /**
   * @param name one for each principal, such as a member's id: all tabs with it share a socket
   * @param createSocket called when this tab leads: `options => agent.live(options)`
   */
  constructor(
    name: string,
    private readonly createSocket: (options: Pick<LiveOptions, 'after'>) => LiveSocket<F>,
    { after, tab = currentTab() }: SharedLiveOptions = {},
  ) {
    super(after);
    this.tab = tab;
    const { locks, BroadcastChannel } = tab;
    if (!locks || !BroadcastChannel) return;
    this.channel = new BroadcastChannel(name);
    this.election = new TabElection(locks, name, { elected: () => this.lead(), deposed: () => this.yieldLead() });
  }

  get state(): LiveState {
    return this.currentState;
  }

  /** True while this tab has the socket. Do where it is true what only one tab should do, such as notifications. */
  get isLeader(): boolean {
    return this.leader !== undefined;
  }

  open(): Promise<void> {
    if (this.currentState !== 'idle') return this.opened.promise;
    this.currentState = 'connecting';
    if (!this.channel || !this.election) {
      this.lead();
      return this.opened.promise;
    }
    this.channel.onmessage = ({ data }: { data: TabMessage }) => this.handleMessage(data);
    this.stopWatching = this.tab.watchWakeUps(() => this.askLeader());
    this.election.stand();
    this.askLeader();
    return this.opened.promise;
  }

  wake(): void {
    if (this.leader) this.leader.wake();
    else this.post({ kind: 'wake' });
  }

  send(frame: ClientFrame): boolean {
    if (frame.type === 'viewing') this.viewed = frame;
    if (this.leader) return this.leader.send(frame);
    this.post({ kind: 'send', frame });
    return this.currentState === 'connected';
  }

  /** Like `AgentSocket.viewing`. One socket views one conversation: the last call of all tabs counts. */
  viewing(conversationId: string | null): boolean {
    return this.send({ type: 'viewing', conversation_id: conversationId });
  }

  /** Leaves the shared socket. The other tabs keep it. */
  close(): void {
    this.end({ code: 1000, reason: 'closed by this side', willReconnect: false, waitMs: 0, error: undefined });
  }

  /** Asks for the leader's state. A visible tab takes the lead if the leader is hidden, or does not answer. */
  private askLeader(): void {
    if (this.leader) return;
    this.post({ kind: 'hello' });
    clearTimeout(this.claimTimer);
    this.claimTimer = setTimeout(() => this.claimIfVisible(), LEADER_PATIENCE_MS);
  }

  private claimIfVisible(): void {
    if (!this.leader && this.tab.isVisible()) this.election?.stand(true);
  }

  private lead(): void {
    clearTimeout(this.claimTimer);
    this.joined = true;
    this.post({ kind: 'lead', visible: this.tab.isVisible(), after: this.lastCursor });
    this.startSocket();
  }

  private startSocket(): void {
    this.currentState = 'connecting';
    const after = this.lastCursor;
    this.leader = new TabLeader(this.createSocket({ after }), after === undefined, {
      post: (message, to) => this.post(message, to),
      frame: frame => this.emitFrame(frame),
      closed: event => this.handleClosed(event),
    });
    if (this.viewed) this.leader.send(this.viewed);
    this.leader.open();
  }

  private yieldLead(): void {
    this.stopLeading();
    this.currentState = 'connecting';
    this.election?.stand();
    this.askLeader();
  }

  private stopLeading(): void {
    this.leader?.stop();
    this.leader = undefined;
  }

  private handleMessage(message: TabMessage): void {
    if (message.to !== undefined && message.to !== this.id) return;
    const { from } = message;
    switch (message.kind) {
      case 'hello':
        return this.leader?.answer(from, this.tab.isVisible());
      case 'wake':
        return this.leader?.wake();
      case 'send':
        if (message.frame.type === 'viewing') this.viewed = message.frame;
        return void this.leader?.send(message.frame);
      case 'cursor':
        return this.resumeAfter(message.cursor);
      case 'lead':
        return this.follow(from, message);
      case 'state':
        return this.synchronize(from, message);
      case 'frame':
        return this.receive(from, message);
      case 'closed':
        return this.receiveClosed(from, message);
    }
  }

  /** Another tab has older events than this leader, which joined just before it was elected. */
  private resumeAfter(cursor: string): void {
    if (!this.leader?.startedWithoutCursor) return;
    this.lastCursor = cursor;
    this.stopLeading();
    this.lead();
  }

  private follow(leaderId: string, { visible, after }: TabMessageOf<'lead'>): void {
    this.leaderId = leaderId;
    this.count = 0;
    // A leader that was replaced learns it from the lock.
    if (this.leader) return;
    this.currentState = 'connecting';
    this.judgeLeader(visible);
    if (after === undefined && this.joined && this.lastCursor !== undefined) {
      this.post({ kind: 'cursor', cursor: this.lastCursor }, leaderId);
    }
  }

  private synchronize(leaderId: string, message: TabMessageOf<'state'>): void {
    if (this.leader) return;
    const { visible, state, count, cursor, connected } = message;
    this.joined &&= this.leaderId === leaderId && this.count === count;
    this.leaderId = leaderId;
    this.count = count;
    this.currentState = state;
    this.judgeLeader(visible);
    if (!this.joined && connected) this.join(connected, cursor);
  }

  private judgeLeader(visible: boolean): void {
    clearTimeout(this.claimTimer);
    if (!visible) this.claimIfVisible();
  }

  /** Begins with the leader's present state. A tab that has older events must read what it missed. */
  private join(connected: AnyFrame, cursor: string | undefined): void {
    const before = this.lastCursor;
    this.joined = true;
    this.emitFrame(connected);
    this.lastCursor = cursor;
    if (before !== undefined && before !== cursor) this.dispatch({ type: 'sync.required', data: { reason: 'joined' } });
  }

  private receive(from: string, { frame, count }: TabMessageOf<'frame'>): void {
    const isNext = count === undefined || from !== this.leaderId || count === this.count + 1;
    if (count !== undefined && from === this.leaderId) this.count = count;
    if (this.leader || from !== this.leaderId || count === undefined) {
      // While two tabs lead, until one of them learns it, only events count: they have ids.
      if (this.joined && (frame['id'] !== undefined || from === this.leaderId)) this.dispatch(frame);
      return;
    }
    if (this.joined && isNext) return this.emitFrame(frame);
    if (this.joined) return this.askAfterLoss();
    if (frame.type === 'connected') this.join(frame, cursorAfter(frame));
  }

  private receiveClosed(from: string, { event, count }: TabMessageOf<'closed'>): void {
    if (from !== this.leaderId) return;
    this.count = count;
    if (!this.leader) this.handleClosed({ ...event, error: event.error && new ApiError(event.error) });
  }

  /** The browser has dropped messages, such as those for a suspended tab. */
  private askAfterLoss(): void {
    this.joined = false;
    this.askLeader();
  }

  private emitFrame(frame: AnyFrame): void {
    this.lastCursor = cursorAfter(frame) ?? this.lastCursor;
    const isConnected = frame.type === 'connected';
    if (isConnected) this.currentState = 'connected';
    this.dispatch(frame);
    if (isConnected) this.opened.resolve();
  }

  private handleClosed(event: ClosedEvent): void {
    if (!event.willReconnect) return this.end(event);
    this.currentState = 'waiting';
    this.dispatchClosed(event);
  }

  private end(event: ClosedEvent): void {
    if (this.currentState === 'closed') return;
    this.currentState = 'closed';
    clearTimeout(this.claimTimer);
    this.stopWatching?.();
    this.stopLeading();
    this.election?.leave();
    this.channel?.close();
    this.dispatchClosed(event);
  }

  private post(body: TabMessageBody, to?: string): void {
    this.channel?.postMessage({ ...body, from: this.id, to } satisfies TabMessage);
  }
}
