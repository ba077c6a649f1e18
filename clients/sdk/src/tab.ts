import { listenToPage } from './wake-up.js';
import { locksOfPage, type Locks } from './web-locks.js';

/** The parts of a BroadcastChannel that this SDK uses. */
export interface Channel {
  onmessage: ((event: never) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

export interface TabEvents {
  /** The tab was shown or hidden. */
  changed(): void;
  /** The tab continues after it was suspended, and before the tasks that have waited since. */
  resumed(): void;
  /** The tab leaves the page, and may come back to it. */
  left(): void;
  /** The tab has come back to the page as it was. */
  returned(): void;
}

/** The tab of a browser, as far as it can share a socket with other tabs. */
export interface Tab {
  /** Undefined if the browser has none, or the page has no https. */
  locks: Locks | undefined;
  BroadcastChannel: (new (name: string) => Channel) | undefined;
  isVisible(): boolean;
  /** @returns a function that ends the calls */
  watch(events: TabEvents): () => void;
}

export function currentTab(): Tab {
  const { BroadcastChannel, document } = globalThis as unknown as {
    BroadcastChannel?: Tab['BroadcastChannel'];
    document?: { visibilityState?: string };
  };
  return {
    locks: locksOfPage(),
    BroadcastChannel,
    isVisible: () => document?.visibilityState !== 'hidden',
    watch: ({ changed, resumed, left, returned }) =>
      listenToPage((page, target) => [
        [target, 'visibilitychange', changed],
        [target, 'resume', resumed],
        [page, 'pagehide', left],
        [page, 'pageshow', ({ persisted }) => persisted && returned()],
      ]),
  };
}
