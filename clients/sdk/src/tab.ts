import { watchWakeUps } from './wake-up.js';
import { locksOfPage, type Locks } from './web-locks.js';

/** The parts of a BroadcastChannel that this SDK uses. */
export interface Channel {
  onmessage: ((event: never) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** The tab of a browser, as far as it can share a socket with other tabs. */
export interface Tab {
  /** Undefined if the browser has none, or the page has no https. */
  locks: Locks | undefined;
  BroadcastChannel: (new (name: string) => Channel) | undefined;
  isVisible(): boolean;
  /** @returns a function that removes the listener */
  watchWakeUps(onWake: () => void): () => void;
}

export function currentTab(): Tab {
  const { BroadcastChannel, document } = globalThis as unknown as {
    BroadcastChannel?: Tab['BroadcastChannel'];
    document?: { visibilityState?: string };
  };
  const isVisible = (): boolean => document?.visibilityState !== 'hidden';
  return { locks: locksOfPage(), BroadcastChannel, isVisible, watchWakeUps };
}
