import type { Snapshot, SnapshotStorage } from '../snapshot/snapshot-storage.js';

const WRITE_AFTER_MS = 3_000;
/** A snapshot may have a megabyte. */
const WRITE_EVERY_MS = 15_000;
/** A busy page writes no later than this after its time has come. */
const PATIENCE_MS = 10_000;

export interface SnapshotSource {
  /** @returns undefined once the session has ended */
  sessionId(): string | undefined;
  /** Resolves once everything that is missing was read. */
  idle(): Promise<void>;
  /** @returns undefined while there is nothing to show */
  take(): Snapshot | undefined;
}

/** Writes the snapshot of a session some seconds after a change, at most four times a minute, while the page is idle. */
export class SnapshotWriter {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private writtenAt = -Infinity;

  constructor(
    private readonly storage: SnapshotStorage,
    private readonly source: SnapshotSource,
  ) {}

  /** Writes soon, once for all calls until then. */
  requireWrite(): void {
    if (this.isClosed || this.timer !== undefined) return;
    const waitMs = Math.max(WRITE_AFTER_MS, this.writtenAt + WRITE_EVERY_MS - performance.now());
    this.timer = setTimeout(() => void this.write(), waitMs);
  }

  /** Removes at once what is stored, because some of it must not stay. The rest is written again. */
  wipe(): void {
    void this.storage.clear();
    this.requireWrite();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async write(): Promise<void> {
    await this.source.idle();
    await idlePage();
    this.timer = undefined;
    const sessionId = this.source.sessionId();
    if (this.isClosed || sessionId === undefined) return;
    const snapshot = this.source.take();
    if (!snapshot) return;
    this.writtenAt = performance.now();
    await this.storage.write(sessionId, snapshot);
  }
}

/** Safari knows no idle time. */
function idlePage(): Promise<void> {
  if (typeof requestIdleCallback === 'undefined') return Promise.resolve();
  return new Promise(resolve => requestIdleCallback(() => resolve(), { timeout: PATIENCE_MS }));
}
