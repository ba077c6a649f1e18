import type { BotView, ChannelView, MemberView, MeView, ViewView } from '@support-chat/sdk';
import { createStore, del, get, set, type UseStore } from 'idb-keyval';
import type { StoreSnapshot } from '../store/snapshot.js';

export interface DirectorySnapshot {
  readonly members: readonly MemberView[];
  readonly channels: readonly ChannelView[];
  readonly bots: readonly BotView[];
  readonly views: readonly ViewView[];
}

/** The state of a session that a page shows before the service has answered. */
export interface Snapshot extends DirectorySnapshot {
  readonly me: MeView;
  readonly store: StoreSnapshot;
}

interface StoredSnapshot {
  sessionId: string;
  /** Another release of the dashboard may expect other fields. */
  release: string;
  snapshot: Snapshot;
}

const KEY = 'last';

/** The snapshot that the tabs of a browser share, in IndexedDB. A browser that denies storage has none. */
export class SnapshotStorage {
  private readonly database: UseStore | undefined;

  /** @param name of the database @param release of the dashboard; the snapshots of others are removed */
  constructor(
    name: string,
    private readonly release: string,
  ) {
    try {
      this.database = createStore(name, 'snapshots');
    } catch {
      this.database = undefined;
    }
  }

  /** @returns undefined if there is none of this session */
  async read(sessionId: string): Promise<Snapshot | undefined> {
    if (!this.database) return undefined;
    try {
      const stored = await get<StoredSnapshot>(KEY, this.database);
      if (stored?.sessionId === sessionId && stored.release === this.release) return stored.snapshot;
      if (stored) await this.clear();
    } catch {
      // nothing can be read
    }
    return undefined;
  }

  /** Replaces the snapshot. */
  async write(sessionId: string, snapshot: Snapshot): Promise<void> {
    if (!this.database) return;
    const stored: StoredSnapshot = { sessionId, release: this.release, snapshot };
    // a full storage must not keep an old one
    await set(KEY, stored, this.database).catch(() => this.clear());
  }

  async clear(): Promise<void> {
    if (this.database) await del(KEY, this.database).catch(() => undefined);
  }
}
