import type { ApiError } from './api-error.js';
import type { ClientFrame } from './frames.js';
import type { LiveSocket } from './live-socket.js';
import type { AnyFrame } from './live-stream.js';
import type { ClosedEvent } from './persistent-connection.js';
import { SharedState } from './shared-state.js';
import type { TabMessageBody } from './tab-messages.js';

export interface TabLeaderEvents {
  post(message: TabMessageBody, to?: string): void;
  frame(frame: AnyFrame): void;
  closed(event: ClosedEvent): void;
}

/** The socket of the tab that leads. Passes all that it receives on to the other tabs, and then to its own. */
export class TabLeader<F extends object> {
  private readonly shared = new SharedState();
  private readonly unsubscribes: (() => void)[];
  private count = 0;

  constructor(
    private readonly socket: LiveSocket<F>,
    /** True if the socket receives only events from now on. */
    readonly startedWithoutCursor: boolean,
    private readonly events: TabLeaderEvents,
  ) {
    this.unsubscribes = [
      socket.on('*', frame => this.passOn(frame as unknown as AnyFrame)),
      socket.on('closed', event => this.passOnClosed(event)),
    ];
  }

  open(): void {
    void this.socket.open();
  }

  wake(): void {
    this.socket.wake();
  }

  send(frame: ClientFrame): boolean {
    const { socket } = this;
    // An agent's socket repeats the view after each reconnect.
    if (frame.type === 'viewing' && 'viewing' in socket) {
      return (socket as { viewing(id: string | null): boolean }).viewing(frame.conversation_id);
    }
    return socket.send(frame);
  }

  /** Shows another tab the present state. */
  answer(to: string, visible: boolean): void {
    const { count } = this;
    const { state, cursor } = this.socket;
    const connected = state === 'connected' ? this.shared.connected : undefined;
    this.events.post({ kind: 'state', visible, state, count, cursor, connected }, to);
    // one message each, so that a caller of open() can add listeners first
    if (connected) for (const frame of this.shared.snapshot) this.events.post({ kind: 'frame', frame }, to);
  }

  /** Closes the socket without a word to the other tabs, which follow the next leader. */
  stop(): void {
    for (const off of this.unsubscribes) off();
    this.socket.close();
  }

  private passOn(frame: AnyFrame): void {
    this.shared.record(frame);
    this.events.post({ kind: 'frame', count: ++this.count, frame });
    this.events.frame(frame);
  }

  private passOnClosed(event: ClosedEvent): void {
    const { error } = event;
    // A channel copies an Error without its own fields.
    const plain = error && ({ ...error, message: error.message } as ApiError);
    this.events.post({ kind: 'closed', count: ++this.count, event: { ...event, error: plain } });
    this.events.closed(event);
  }
}
