import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Fanout } from '../fanout/fanout.js';
import type { InvalidDataService } from '../redis/invalid-data.service.js';
import { PresenceStore } from './presence-store.js';
import { toField } from '../presence/presence-index.js';
import type { PresenceNotice, PresenceNoticeChange } from '../presence/presence-notice.js';
import { isPresenceNotice } from '../presence/presence-notice.js';
import type { HashState } from '../presence/presence-hashes.js';
import { PresenceHashes } from '../presence/presence-hashes.js';

const SUBJECT = 'presence';
/** Heartbeats per time to live. A Redis key lives half a time to live: see `Peer.silence`. */
const HEARTBEATS_PER_TTL = 6;
/** More instances than any deployment has. Ids beyond it are ignored. */
const MAX_PEERS = 1_000;

/** Another instance, as this instance knows it. */
interface Peer {
  /** Version of its entries in this instance's index. */
  version: number;
  /** The highest version it announced. Its hash is read while `version` is lower. */
  announcedVersion: number;
  /**
   * Heartbeats since the last sign of it; at six the peer is removed. A failed look at Redis counts one.
   *
   * A peer whose key expired has been silent for half a time to live, so it counts three at once. The three further
   * looks give all instances time to write their hashes again after Redis lost its data.
   */
  silence: number;
  /** When it last gave a sign of life, in milliseconds. */
  signAt: number;
  reading: boolean;
}

/**
 * The implementation for many instances. Each instance writes its entries to one Redis hash with a time to live, and
 * publishes each change through the fanout. It keeps the entries of all instances in memory.
 *
 * A heartbeat renews the instance's own hash with a constant number of commands, rewrites it if Redis lost it, and
 * reads the hashes of the peers whose messages were missed.
 */
export class RedisPresenceStore extends PresenceStore {
  readonly kind = 'redis';
  private readonly id = randomUUID();
  private readonly hashes: PresenceHashes;
  private readonly peers = new Map<string, Peer>();
  private readonly unsubscribe: () => void;
  private readonly timer: NodeJS.Timeout;
  /** By instance that announced its shutdown, the timer that removes its entries. */
  private readonly farewells = new Map<string, NodeJS.Timeout>();
  /** Changes that are not written yet, by field. */
  private changes = new Map<string, [metadata: string | null, at: number]>();
  private version = 0;
  /** True when the hash in Redis may differ from the index, so that the next heartbeat rewrites it. */
  private stale = true;
  private heartbeatRunning = false;
  private closed = false;
  private resolveReady: () => void = () => undefined;
  /** Resolves when this instance's hash has been written for the first time. */
  readonly ready = new Promise<void>(resolve => (this.resolveReady = resolve));

  /** @param ttlMs after which a silent instance is removed, in milliseconds */
  constructor(
    client: Redis,
    private readonly fanout: Fanout,
    ttlMs: number,
    private readonly invalid: Pick<InvalidDataService, 'record'>,
  ) {
    super();
    this.hashes = new PresenceHashes(client, this.id, Math.ceil(ttlMs / 2), invalid);
    this.unsubscribe = fanout.subscribe(SUBJECT, isPresenceNotice, notice => this.receive(notice));
    this.timer = setInterval(() => void this.heartbeat(), ttlMs / HEARTBEATS_PER_TTL).unref();
    client.on('ready', () => void this.heartbeat());
    if (client.status === 'ready') void this.heartbeat();
  }

  enter(group: string, id: string, metadata: string): void {
    this.write(toField(group, id), metadata, Date.now());
  }

  leave(group: string, id: string, at = Date.now()): void {
    this.write(toField(group, id), undefined, at);
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

  private write(field: string, metadata: string | undefined, at: number): void {
    if (this.closed || !this.index.set(this.id, field, metadata, at)) return;
    // batches all changes of one turn of the event loop into one command and one message
    if (this.changes.size === 0) setImmediate(() => this.flush());
    this.changes.set(field, [metadata ?? null, at]);
  }

  /** Writes to Redis before it publishes, so that an instance that missed the message finds the change in Redis. */
  private flush(): void {
    if (this.closed || this.changes.size === 0) return;
    const changes = [...this.changes].map(([field, [metadata, at]]): PresenceNoticeChange => [field, metadata, at]);
    this.changes = new Map();
    const base = this.version;
    this.version += 1;
    this.hashes.change(changes, this.version).catch(() => (this.stale = true));
    this.publish({ base, changes });
  }

  private publish(update: Pick<PresenceNotice, 'base' | 'changes' | 'farewellMs'>): void {
    this.fanout.publish(SUBJECT, { from: this.id, version: this.version, ...update } satisfies PresenceNotice);
  }

  private receive({ from, base, version, changes, farewellMs }: PresenceNotice): void {
    if (from === this.id || this.closed) return;
    if (!this.peers.has(from) && this.peers.size >= MAX_PEERS) {
      return this.invalid.record('presence', 'more instances than there can be');
    }
    const peer = this.recordSign(from);
    peer.announcedVersion = Math.max(peer.announcedVersion, version);
    if (base === peer.version) {
      peer.version = version;
      for (const [field, metadata, at] of changes) this.index.set(from, field, metadata ?? undefined, at);
    }
    if (peer.version < peer.announcedVersion) void this.readHash(from, peer);
    if (farewellMs !== undefined) this.removeAfter(from, farewellMs);
  }

  /** Records that the instance was alive `ageMs` ago. */
  private recordSign(id: string, ageMs = 0): Peer {
    const known = this.peers.get(id);
    // every hash begins empty, at version 0
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
    this.index.removeInstance(id, at);
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
      const states = await this.hashes.readStates(ids);
      ids.forEach((id, index) => this.compareWithHash(id, states[index] ?? null));
    } catch {
      for (const peer of this.peers.values()) peer.silence += 1;
    }
    this.heartbeatRunning = false;
    for (const [id, { silence }] of [...this.peers])
      if (silence >= HEARTBEATS_PER_TTL && !this.closed) this.removePeer(id);
  }

  /**
   * Rewrites the hash under a version that no message leads to, so that peers with incomplete entries read it again.
   */
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

  /** @param state of the peer's hash; null where it has none */
  private compareWithHash(id: string, state: HashState | null): void {
    const peer = this.peers.get(id);
    if (state === null) {
      if (peer) peer.silence = Math.max(peer.silence, HEARTBEATS_PER_TTL / 2) + 1;
      else void this.hashes.removeInstance(id).catch(() => undefined);
      return;
    }
    const alive = this.recordSign(id, state.ageMs);
    alive.announcedVersion = Math.max(alive.announcedVersion, state.version);
    if (alive.version < state.version) void this.readHash(id, alive);
  }

  private async readHash(id: string, peer: Peer): Promise<void> {
    if (peer.reading) return;
    peer.reading = true;
    try {
      let progress = true;
      while (progress && peer.version < peer.announcedVersion) {
        const { announcedVersion: expected } = peer;
        const hash = await this.hashes.read(id);
        progress = hash !== null && hash.version > peer.version && this.peers.get(id) === peer && !this.closed;
        // an instance writes its hash before it announces the version: a version above the hash's never existed
        if (hash && peer.announcedVersion === expected) peer.announcedVersion = Math.max(peer.version, hash.version);
        if (!hash || !progress) break;
        peer.version = hash.version;
        this.index.replace(id, hash.entries, Date.now());
      }
    } catch {
      // the next heartbeat tries again
    }
    peer.reading = false;
  }
}
