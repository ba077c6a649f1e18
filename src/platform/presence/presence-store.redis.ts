import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Fanout } from '../fanout/fanout.js';
import type { InvalidData } from '../redis/invalid-data.js';
import { PresenceStore } from './presence-store.js';
import { fieldOf } from '../presence/presence-index.js';
import type { PresenceNotice } from '../presence/presence-notice.js';
import { isPresenceNotice } from '../presence/presence-notice.js';
import type { HashState } from '../presence/presence-hashes.js';
import { PresenceHashes } from '../presence/presence-hashes.js';

const SUBJECT = 'roster';
/** Beats in a time to live. A key in Redis lives half of one: see `Peer.silence`. */
const HEARTBEATS_PER_TTL = 6;
/** More instances than any deployment has; others are none. */
const MAX_PEERS = 1_000;

/** Another instance, as it is known here. */
interface Peer {
  /** Of its page, as it is known here. */
  version: number;
  /** The highest that it has spoken of: until that is known here, the page is read. */
  announcedVersion: number;
  /**
   * For how many beats nobody has heard of it; at six it is forgotten. While Redis is away each look counts one. One
   * whose key has gone has been silent for half a time to live then, three beats; that three looks in a row must find
   * it gone gives everybody the time to write its page again where Redis has lost them all.
   */
  silence: number;
  /** When it last gave a sign, in milliseconds. */
  signAt: number;
  reading: boolean;
}

/**
 * The twin for many instances. Each keeps a page in Redis, one key with a time to live, and tells the others of each
 * change by the fanout; each has the pages of all in memory. At every beat it prolongs its own, one command however
 * many it has entered, writes it anew where Redis has lost it, and reads those of which it has missed something.
 */
export class RedisPresenceStore extends PresenceStore {
  readonly kind = 'redis';
  private readonly id = randomUUID();
  private readonly hashes: PresenceHashes;
  private readonly peers = new Map<string, Peer>();
  private readonly unsubscribe: () => void;
  private readonly timer: NodeJS.Timeout;
  /** By instance, what ends its page here once it has said that it ends. */
  private readonly farewells = new Map<string, NodeJS.Timeout>();
  /** What has changed and is not written yet, by field. */
  private changes = new Map<string, [note: string | null, at: number]>();
  private version = 0;
  /** Whether what is in Redis may be something else. */
  private stale = true;
  private heartbeatRunning = false;
  private closed = false;
  private resolveReady: () => void = () => undefined;
  /** Resolves when its page stands in Redis for the first time. */
  readonly ready = new Promise<void>(resolve => (this.resolveReady = resolve));

  /** @param ttlMs after which an instance that has given no sign is forgotten */
  constructor(
    client: Redis,
    private readonly fanout: Fanout,
    ttlMs: number,
    private readonly invalid: Pick<InvalidData, 'record'>,
  ) {
    super();
    this.hashes = new PresenceHashes(client, this.id, Math.ceil(ttlMs / 2), invalid);
    this.unsubscribe = fanout.subscribe(SUBJECT, isPresenceNotice, notice => this.receive(notice));
    this.timer = setInterval(() => void this.heartbeat(), ttlMs / HEARTBEATS_PER_TTL).unref();
    client.on('ready', () => void this.heartbeat());
    if (client.status === 'ready') void this.heartbeat();
  }

  enter(room: string, who: string, note: string): void {
    this.write(fieldOf(room, who), note, Date.now());
  }

  leave(room: string, who: string, at = Date.now()): void {
    this.write(fieldOf(room, who), undefined, at);
  }

  async close(graceMs: number): Promise<void> {
    if (this.closed) return;
    this.flush();
    this.closed = true;
    clearInterval(this.timer);
    for (const farewell of this.farewells.values()) clearTimeout(farewell);
    this.unsubscribe();
    this.index.close();
    this.publish({ base: this.version, changes: [], farewellMs: graceMs });
    await this.hashes.leave(graceMs).catch(() => undefined);
  }

  private write(field: string, note: string | undefined, at: number): void {
    if (this.closed || !this.index.set(this.id, field, note, at)) return;
    // a thousand who come at once are one command and one message
    if (this.changes.size === 0) setImmediate(() => this.flush());
    this.changes.set(field, [note ?? null, at]);
  }

  /** First into Redis, then to the others: whoever has missed something finds it there. */
  private flush(): void {
    if (this.closed || this.changes.size === 0) return;
    const changes = [...this.changes].map(([field, [note, at]]): PresenceNotice['changes'][number] => [
      field,
      note,
      at,
    ]);
    this.changes = new Map();
    const base = this.version;
    this.version += 1;
    this.hashes.change(changes, this.version).catch(() => (this.stale = true));
    this.publish({ base, changes });
  }

  private publish(told: Pick<PresenceNotice, 'base' | 'changes' | 'farewellMs'>): void {
    this.fanout.publish(SUBJECT, { from: this.id, version: this.version, ...told } satisfies PresenceNotice);
  }

  private receive({ from, base, version, changes, farewellMs }: PresenceNotice): void {
    if (from === this.id || this.closed) return;
    if (!this.peers.has(from) && this.peers.size >= MAX_PEERS) {
      return this.invalid.record('roster', 'more instances than there can be');
    }
    const peer = this.recordSign(from);
    peer.announcedVersion = Math.max(peer.announcedVersion, version);
    if (base === peer.version) {
      peer.version = version;
      for (const [field, note, at] of changes) this.index.set(from, field, note ?? undefined, at);
    }
    if (peer.version < peer.announcedVersion) void this.readHash(from, peer);
    if (farewellMs !== undefined) this.removeAfter(from, farewellMs);
  }

  /** Notes that the instance has lived so long ago. */
  private recordSign(id: string, ageMs = 0): Peer {
    const known = this.peers.get(id);
    // every page begins empty, with the version 0
    const peer = known ?? { version: 0, announcedVersion: 0, silence: 0, signAt: 0, reading: false };
    peer.silence = 0;
    peer.signAt = Math.max(peer.signAt, Date.now() - ageMs);
    this.peers.set(id, peer);
    return peer;
  }

  private removeAfter(id: string, ms: number): void {
    clearTimeout(this.farewells.get(id));
    const farewell = setTimeout(() => this.removePeer(id), ms).unref();
    this.farewells.set(id, farewell);
  }

  private removePeer(id: string): void {
    const at = this.peers.get(id)?.signAt ?? Date.now();
    clearTimeout(this.farewells.get(id));
    this.farewells.delete(id);
    this.peers.delete(id);
    this.index.drop(id, at);
  }

  private async heartbeat(): Promise<void> {
    if (this.heartbeatRunning || this.closed) return;
    this.heartbeatRunning = true;
    try {
      this.flush();
      const expected = { version: this.version, size: this.index.entriesOf(this.id).size };
      const { whole, others } = await this.hashes.renew(expected);
      if (this.closed) return;
      if (!whole || this.stale) await this.rewrite();
      const ids = [...new Set([...this.peers.keys(), ...others])].slice(0, MAX_PEERS);
      const glances = await this.hashes.statesOf(ids);
      ids.forEach((id, index) => this.compareWithHash(id, glances[index] ?? null));
    } catch {
      for (const peer of this.peers.values()) peer.silence += 1;
    }
    this.heartbeatRunning = false;
    for (const [id, { silence }] of [...this.peers])
      if (silence >= HEARTBEATS_PER_TTL && !this.closed) this.removePeer(id);
  }

  /** Whoever has read half of what was lost must read again: it gets a version to which no step leads. */
  private async rewrite(): Promise<void> {
    this.flush();
    this.stale = false;
    this.version += 2;
    try {
      await this.hashes.rewrite(this.index.entriesOf(this.id), this.version);
    } catch (error) {
      this.stale = true;
      throw error;
    }
    this.publish({ base: this.version - 1, changes: [] });
    this.resolveReady();
  }

  /** @param glance at its page in Redis; null where it has none */
  private compareWithHash(id: string, glance: HashState | null): void {
    const peer = this.peers.get(id);
    if (glance === null) {
      if (peer) peer.silence = Math.max(peer.silence, HEARTBEATS_PER_TTL / 2) + 1;
      else void this.hashes.removeInstance(id).catch(() => undefined);
      return;
    }
    const living = this.recordSign(id, glance.ageMs);
    living.announcedVersion = Math.max(living.announcedVersion, glance.version);
    if (living.version < glance.version) void this.readHash(id, living);
  }

  private async readHash(id: string, peer: Peer): Promise<void> {
    if (peer.reading) return;
    peer.reading = true;
    try {
      let progress = true;
      while (progress && peer.version < peer.announcedVersion) {
        const { announcedVersion: wanted } = peer;
        const page = await this.hashes.read(id);
        progress = page !== null && page.version > peer.version && this.peers.get(id) === peer && !this.closed;
        // an instance writes its page before it speaks of it: a version that is not there now was never one
        if (page && peer.announcedVersion === wanted) peer.announcedVersion = Math.max(peer.version, page.version);
        if (!page || !progress) break;
        peer.version = page.version;
        this.index.replace(id, page.entries, Date.now());
      }
    } catch {
      // the next beat tries again
    }
    peer.reading = false;
  }
}
