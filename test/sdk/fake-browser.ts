import { AsyncLocalStorage } from 'node:async_hooks';
import type { Channel, Locks, Tab, TabEvents } from '../../clients/sdk/src/index.js';
import { FakeLocks } from './fake-locks.js';

const runningTab = new AsyncLocalStorage<FakeTab>();

/** A browser whose tabs share locks and channels. Use it with Jest's fake timers. */
export class FakeBrowser {
  readonly locks = new FakeLocks();
  /** True for a message between two tabs that is lost. */
  isLost: (from: FakeTab, to: FakeTab) => boolean = () => false;
  /** Milliseconds that a message between two tabs needs. */
  delayMs: () => number = () => 1;
  readonly channels = new Set<FakeChannel>();
  private readonly timers = { setTimeout, setInterval, clearTimeout };
  private readonly cleared = new Set<unknown>();

  /** Lets timers belong to the tab that sets them: those of a suspended tab wait, those of a closed one never run. */
  constructor() {
    const { setTimeout: setTimer, setInterval: repeat, clearTimeout: clear } = this.timers;
    Object.assign(globalThis, {
      setTimeout: (task: () => void, ms?: number) => {
        const tab = runningTab.getStore();
        const timer: unknown = setTimer(() => {
          if (tab) tab.run(() => this.cleared.has(timer) || task());
          else task();
        }, ms);
        return timer;
      },
      setInterval: (task: () => void, ms?: number) => {
        const tab = runningTab.getStore();
        return repeat(() => (tab ? !tab.isSuspended && tab.run(task) : task()), ms);
      },
      clearTimeout: (timer?: ReturnType<typeof setTimeout>) => {
        this.cleared.add(timer);
        clear(timer);
      },
    });
  }

  stop(): void {
    Object.assign(globalThis, this.timers);
  }

  openTab(isVisible = true): FakeTab {
    return new FakeTab(this, isVisible);
  }
}

/** A tab. All its tasks run through it: it may be hidden, suspended, or end without a word. */
export class FakeTab implements Tab {
  isSuspended = false;
  hasEnded = false;
  readonly locks: Locks | undefined;
  readonly BroadcastChannel: (new (name: string) => Channel) | undefined;
  private readonly waiting: (() => void)[] = [];
  private readonly watchers = new Set<TabEvents>();

  constructor(
    private readonly browser: FakeBrowser,
    private visible: boolean,
  ) {
    const locks = browser.locks.ofTab(this);
    this.locks = {
      request: (name, options, work) =>
        new Promise((resolve, reject) => {
          const own = () => new Promise<unknown>(done => this.run(() => done(work())));
          locks.request(name, options, own).then(
            value => this.run(() => resolve(value)),
            (error: Error) => this.run(() => reject(error)),
          );
        }),
    };

    const tab: FakeTab = this;
    this.BroadcastChannel = class extends FakeChannel {
      constructor(name: string) {
        super(name, tab, browser);
      }
    };
  }

  /** Runs a task of the tab: now, or when it is no longer suspended. */
  run(task: () => void): void {
    if (this.hasEnded) return;
    if (this.isSuspended) this.waiting.push(task);
    else runningTab.run(this, task);
  }

  isVisible(): boolean {
    return this.visible;
  }

  watch(events: TabEvents): () => void {
    this.watchers.add(events);
    return () => void this.watchers.delete(events);
  }

  show(): void {
    this.setVisible(true);
  }

  hide(): void {
    this.setVisible(false);
  }

  /** Browsers suspend hidden tabs only. */
  suspend(): void {
    this.hide();
    this.isSuspended = true;
  }

  resume(): void {
    if (!this.isSuspended) return;
    this.isSuspended = false;
    this.dispatch('resumed');
    for (const task of this.waiting.splice(0)) this.run(task);
  }

  /** Goes to another page, and keeps this one for the way back. */
  leave(): void {
    this.dispatch('left');
    this.suspend();
  }

  comeBack(): void {
    this.visible = true;
    this.resume();
    this.dispatch('returned');
  }

  /** Ends without a task of its own, as a killed process does. */
  end(): void {
    this.hasEnded = true;
    for (const channel of this.browser.channels) if (channel.tab === this) channel.close();
    this.browser.locks.endTab(this);
  }

  private setVisible(visible: boolean): void {
    if (this.visible === visible) return;
    this.visible = visible;
    this.dispatch('changed');
  }

  private dispatch(type: keyof TabEvents): void {
    for (const events of [...this.watchers]) this.run(() => events[type]());
  }
}

/** A BroadcastChannel: messages of one tab to another keep their order. */
class FakeChannel implements Channel {
  onmessage: ((event: never) => void) | null = null;
  private readonly lastAt = new Map<FakeChannel, number>();

  constructor(
    private readonly name: string,
    readonly tab: FakeTab,
    private readonly browser: FakeBrowser,
  ) {
    browser.channels.add(this);
  }

  postMessage(message: unknown): void {
    if (!this.browser.channels.has(this)) throw new DOMException('The channel is closed', 'InvalidStateError');
    const data = structuredClone(message);
    for (const other of this.browser.channels) {
      if (other === this || other.name !== this.name || this.browser.isLost(this.tab, other.tab)) continue;
      const at = Math.max(performance.now() + this.browser.delayMs(), this.lastAt.get(other) ?? 0);
      this.lastAt.set(other, at);
      runningTab.exit(() => setTimeout(() => other.receive(data), at - performance.now()));
    }
  }

  close(): void {
    this.browser.channels.delete(this);
  }

  private receive(data: unknown): void {
    this.tab.run(() => {
      if (this.browser.channels.has(this)) this.onmessage?.({ data } as never);
    });
  }
}
