import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { Clock } from '../../../kernel/clock.js';
import type { Sighting, PresenceSubject } from '../../../kernel/presence.js';
import { ContactsService } from '../../contacts/index.js';
import { MembersService } from '../../members/index.js';

const BATCH = 1_000;

interface PendingSighting extends PresenceSubject {
  at: Date;
  /** The time that this instance wrote last; null if none. */
  written: Date | null;
  /** When it was written, in the time of `performance.now()`. */
  writtenAt: number;
}

/** Writes `last_seen_at` of members and contacts in batches, at most once per presence time to live for each. */
@Injectable()
export class LastSeenService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('presence');
  private readonly pending = new Map<string, PendingSighting>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private readonly everyMs: number;

  constructor(
    config: Config,
    private readonly clock: Clock,
    private readonly members: MembersService,
    private readonly contacts: ContactsService,
  ) {
    this.everyMs = config.presenceTtlMs;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.writing = this.writing.then(() => this.flush(this.everyMs));
    }, this.everyMs / 6).unref();
  }

  /** Runs before the database disconnects. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    await this.flush(0);
  }

  /** @param activityAt in the time of `performance.now()` */
  record({ type, id, workspaceId }: PresenceSubject, activityAt: number): void {
    const { written = null, writtenAt = -Infinity } = this.pending.get(id) ?? {};
    this.pending.set(id, { type, id, workspaceId, at: this.toDate(activityAt), written, writtenAt });
  }

  /** Converts a time of `performance.now()`. */
  toDate(activityAt: number): Date {
    return new Date(this.clock.now().getTime() - Math.max(0, performance.now() - activityAt));
  }

  private async flush(everyMs: number): Promise<void> {
    const now = performance.now();
    const due = [...this.pending.values()].filter(({ writtenAt }) => now - writtenAt >= everyMs);
    const isNewer = ({ at, written }: PendingSighting) => written === null || at > written;
    const newer = due.filter(isNewer);
    for (const entry of due) if (!isNewer(entry)) this.pending.delete(entry.id);
    for (let start = 0; start < newer.length; start += BATCH) await this.write(newer.slice(start, start + BATCH));
  }

  private async write(batch: readonly PendingSighting[]): Promise<void> {
    const writtenAt = performance.now();
    try {
      await this.members.recordSightings(sightings(batch, 'member'));
      await this.contacts.recordSightings(sightings(batch, 'contact'));
    } catch (error) {
      return this.logger.warn(`last_seen_at was not written: ${String(error)}`);
    }
    for (const { id, at } of batch) {
      const entry = this.pending.get(id);
      if (entry) Object.assign(entry, { written: at, writtenAt });
    }
  }
}

function sightings(batch: readonly PendingSighting[], type: PresenceSubject['type']): Sighting[] {
  return batch.filter(entry => entry.type === type).map(({ workspaceId, id, at }) => ({ workspaceId, id, at }));
}
