import { AgentSocket, SharedLive, type AgentFrames, type ClosedEvent } from '../../clients/sdk/src/index.js';
import type { FakeEventLog } from './fake-event-log.js';
import type { FakeTab } from './fake-browser.js';

interface SharedAppOptions {
  name?: string;
  after?: string;
}

/** An app in a tab: reads all events when it is first connected and when it must, and else relies on frames. */
export class SharedApp {
  readonly credential = { current: () => 'token', renew: () => Promise.resolve('token') };
  readonly live: SharedLive<AgentFrames>;
  /** Numbers of the events that arrived as frames. */
  readonly events: number[] = [];
  /** The same without those that the app had read before. */
  readonly newEvents: number[] = [];
  /** Numbers of the events that this tab received while it led, so that it alone would notify of them. */
  readonly notified: number[] = [];
  /** Types of all frames, except for pongs. */
  readonly types: string[] = [];
  readonly closed: ClosedEvent[] = [];
  /** Number of the newest event of each time that the app has read the present state. */
  readonly reads: number[] = [];

  constructor(
    readonly tab: FakeTab,
    private readonly log: FakeEventLog,
    { name = 'member-1', after }: SharedAppOptions = {},
  ) {
    const socketOptions = { WebSocket: log.webSocketOf(tab), random: () => 0 };
    this.live = new SharedLive<AgentFrames>(
      name,
      options => new AgentSocket('ws://service/ws/agent', {}, this.credential, { ...socketOptions, ...options }),
      { tab, after },
    );
    this.live.on('*', frame => this.receive(frame));
    this.live.on('closed', event => this.closed.push(event));
    tab.run(() => void this.live.open());
  }

  get isLeader(): boolean {
    return this.live.isLeader && !this.tab.hasEnded;
  }

  /** Numbers of all events that the app knows, since it was first connected. */
  get known(): Set<number> {
    const numbers = new Set(this.events);
    const [first = 0, ...later] = this.reads;
    const newest = Math.max(first, ...later);
    for (let number = 1; number <= newest; number++) numbers.add(number);
    return numbers;
  }

  close(): void {
    this.tab.run(() => this.live.close());
  }

  private receive(frame: { type: string; id?: string }): void {
    if (frame.type !== 'pong') this.types.push(frame.type);
    if (frame.id !== undefined) this.receiveEvent(Number(frame.id.slice(1)));
    const isFirst = frame.type === 'connected' && this.reads.length === 0;
    if (isFirst || frame.type === 'sync.required') this.reads.push(this.log.last);
  }
  private receiveEvent(number: number): void {
    this.events.push(number);
    if (number > Math.max(0, ...this.reads)) this.newEvents.push(number);
    if (this.live.isLeader) this.notified.push(number);
  }
}
