import type { ChainableCommander, Redis } from 'ioredis';
import type { InvalidData } from '../redis/invalid-data.js';
import { isEntry, isInstanceId, readVersion } from '../presence/presence-notice.js';

const PREFIX = 'roster:';
/** All who have a page. */
const INDEX = `${PREFIX}instances`;
/** The field of a page that holds its version; no other is empty. */
const VERSION = '';
/** How long the index outlives the last instance. */
const INDEX_MS = 24 * 3600 * 1000;
const CHUNK = 1_000;

export interface HashState {
  version: number;
  /** Since it was last written or prolonged. */
  ageMs: number;
}

/** The pages in Redis: one hash for each instance, `roster:{instance}`, which ends unless it is prolonged. */
export class PresenceHashes {
  private readonly ownKey: string;

  /** @param lifeMs how long a page lives after it was last prolonged */
  constructor(
    private readonly client: Redis,
    private readonly id: string,
    private readonly lifeMs: number,
    private readonly invalid: Pick<InvalidData, 'record'>,
  ) {
    this.ownKey = PREFIX + id;
  }

  /**
   * Prolongs the own page. @returns whether it is there as it should be, and who else has one; keys of another kind are
   * taken for none, and end where they stand in the way of the own page or of the index
   */
  async renew(expected: { version: number; size: number }): Promise<{ whole: boolean; others: string[] }> {
    const [life, version, fields, added, , ids] = await runEach(
      this.client
        .pipeline()
        .pexpire(this.ownKey, this.lifeMs)
        .hget(this.ownKey, VERSION)
        .hlen(this.ownKey)
        .sadd(INDEX, this.id)
        .pexpire(INDEX, INDEX_MS)
        .smembers(INDEX),
    );
    if (added instanceof WrongType) await this.client.del(INDEX);
    const whole = life === 1 && version === String(expected.version) && fields === expected.size + 1;
    const others = this.valid('an index with ids of no instance', stringsOf(ids), isInstanceId);
    return { whole: whole && typeof added === 'number', others: others.filter(id => id !== this.id) };
  }

  async change(changes: readonly [field: string, note: string | null, at: number][], version: number): Promise<void> {
    const commands = this.client.multi();
    const written = changes.filter((change): change is [string, string, number] => change[1] !== null);
    const removed = changes.filter(([, note]) => note === null).map(([field]) => field);
    this.put(commands, new Map(written.map(([field, note]) => [field, note])));
    for (const part of chunks(removed)) commands.hdel(this.ownKey, ...part);
    await run(commands.hset(this.ownKey, VERSION, version).pexpire(this.ownKey, this.lifeMs));
  }

  /** All of the own page, at once: nobody reads half of it. */
  async rewrite(entries: ReadonlyMap<string, string>, version: number): Promise<void> {
    const commands = this.client.multi().del(this.ownKey).hset(this.ownKey, VERSION, version);
    this.put(commands, entries);
    await run(commands.pexpire(this.ownKey, this.lifeMs).sadd(INDEX, this.id).pexpire(INDEX, INDEX_MS));
  }

  /** How these pages stand; null where there is none. */
  async statesOf(ids: readonly string[]): Promise<(HashState | null)[]> {
    if (ids.length === 0) return [];
    const commands = this.client.pipeline();
    for (const id of ids) commands.hget(PREFIX + id, VERSION).pttl(PREFIX + id);
    const found = await runEach(commands);
    return ids.map((_id, index) => {
      const [text, left] = found.slice(2 * index, 2 * index + 2);
      const version = this.versionOf(text);
      if (version === null) return null;
      return { version, ageMs: typeof left === 'number' ? Math.max(0, this.lifeMs - left) : 0 };
    });
  }

  /** @returns null where there is no page; entries that no instance writes are left out */
  async read(id: string): Promise<{ version: number; entries: Map<string, string> } | null> {
    const [found] = await runEach(this.client.pipeline().hgetall(PREFIX + id));
    if (typeof found !== 'object' || found === null || found instanceof WrongType) return null;
    const { [VERSION]: text, ...notes } = found as Record<string, string>;
    const version = this.versionOf(text);
    if (version === null) return null;
    const entries = this.valid('a page with entries of no instance', Object.entries(notes), entry => isEntry(...entry));
    return { version, entries: new Map(entries) };
  }

  /** Takes one that has gone out of the index. */
  async removeInstance(id: string): Promise<void> {
    await this.client.srem(INDEX, id);
  }

  async leave(graceMs: number): Promise<void> {
    if (this.client.status !== 'ready') return;
    await run(this.client.pipeline().pexpire(this.ownKey, Math.max(1, graceMs)).srem(INDEX, this.id));
  }

  private versionOf(found: unknown): number | null {
    if (found === null || found === undefined) return null;
    const version = typeof found === 'string' ? readVersion(found) : null;
    if (version === null) this.invalid.record('roster', 'a page without a version');
    return version;
  }

  private valid<T>(kind: string, list: readonly T[], isValid: (one: T) => boolean): T[] {
    const kept = list.filter(isValid);
    if (kept.length < list.length) this.invalid.record('roster', kind);
    return kept;
  }

  private put(commands: ChainableCommander, entries: ReadonlyMap<string, string>): void {
    for (const part of chunks([...entries])) commands.hset(this.ownKey, new Map(part));
  }
}

/** A key that holds a value of another kind than the roster's. */
class WrongType extends Error {}

/** @throws the first error of any of the commands */
async function run(commands: ChainableCommander): Promise<void> {
  for (const result of await runEach(commands)) if (result instanceof WrongType) throw result;
}

/** The answer to each command. @throws an error that is not about the kind of one key's value */
async function runEach(commands: ChainableCommander): Promise<unknown[]> {
  const results = (await commands.exec()) ?? [];
  if (results.length === 0) throw new Error('Redis has run nothing');
  return results.map(([error, result]) => {
    if (error?.message.startsWith('WRONGTYPE')) return new WrongType(error.message);
    if (error) throw error;
    return result;
  });
}

function stringsOf(found: unknown): string[] {
  return Array.isArray(found) ? found.filter(one => typeof one === 'string') : [];
}

function chunks<T>(list: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / CHUNK) }, (_none, index) =>
    list.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}
