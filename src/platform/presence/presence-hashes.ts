import type { ChainableCommander, Redis } from 'ioredis';
import type { InvalidDataService } from '../redis/invalid-data.service.js';
import type { PresenceNoticeChange } from '../presence/presence-notice.js';
import { isEntry, isInstanceId, readVersion } from '../presence/presence-notice.js';

const PREFIX = 'presence:';
/** The set of the ids of all instances that have a hash. */
const INDEX = `${PREFIX}instances`;
/** The hash field that contains the version. It is empty text, which no entry's field is. */
const VERSION = '';
/** Lifetime of the index after the last heartbeat of any instance. */
const INDEX_MS = 24 * 3600 * 1000;
const CHUNK = 1_000;

export interface HashState {
  version: number;
  /** Milliseconds since its expiry was last set. */
  ageMs: number;
}

/** Stores the entries of each instance in one Redis hash (`PREFIX` and its id), which expires unless it is renewed. */
export class PresenceHashes {
  private readonly key: string;

  /** @param lifeMs time to live of a hash, in milliseconds */
  constructor(
    private readonly client: Redis,
    private readonly id: string,
    private readonly lifeMs: number,
    private readonly invalid: Pick<InvalidDataService, 'record'>,
  ) {
    this.key = PREFIX + id;
  }

  /**
   * Renews this instance's hash.
   *
   * A key of another Redis type counts as missing. It is deleted where it has the name of the index.
   * @returns `whole`: the hash has the expected version and size; `others`: the ids of all other instances
   */
  async renew(expected: { version: number; size: number }): Promise<{ whole: boolean; others: string[] }> {
    const [life, version, fields, added, , ids] = await runEach(
      this.client
        .pipeline()
        .pexpire(this.key, this.lifeMs)
        .hget(this.key, VERSION)
        .hlen(this.key)
        .sadd(INDEX, this.id)
        .pexpire(INDEX, INDEX_MS)
        .smembers(INDEX),
    );
    if (added instanceof WrongType) await this.client.del(INDEX);
    const whole = life === 1 && version === String(expected.version) && fields === expected.size + 1;
    const others = this.filterValid('an index with ids of no instance', stringsOf(ids), isInstanceId);
    return { whole: whole && typeof added === 'number', others: others.filter(id => id !== this.id) };
  }

  /** Writes the changed entries and the new version in one transaction. Null metadata removes the entry. */
  async change(changes: readonly PresenceNoticeChange[], version: number): Promise<void> {
    const commands = this.client.multi();
    const written = changes.filter((change): change is [string, string, number] => change[1] !== null);
    const removed = changes.filter(([, metadata]) => metadata === null).map(([field]) => field);
    this.put(commands, new Map(written.map(([field, metadata]) => [field, metadata])));
    for (const chunk of chunks(removed)) commands.hdel(this.key, ...chunk);
    await run(commands.hset(this.key, VERSION, version).pexpire(this.key, this.lifeMs));
  }

  /** Replaces this instance's hash in one transaction, so that no reader sees half of it. */
  async rewrite(entries: ReadonlyMap<string, string>, version: number): Promise<void> {
    const commands = this.client.multi().del(this.key).hset(this.key, VERSION, version);
    this.put(commands, entries);
    await run(commands.pexpire(this.key, this.lifeMs).sadd(INDEX, this.id).pexpire(INDEX, INDEX_MS));
  }

  /** @returns the states in the order of `ids`; null for an instance without a hash */
  async readStates(ids: readonly string[]): Promise<(HashState | null)[]> {
    if (ids.length === 0) return [];
    const commands = this.client.pipeline();
    for (const id of ids) commands.hget(PREFIX + id, VERSION).pttl(PREFIX + id);
    const found = await runEach(commands);
    return ids.map((_id, index) => {
      const [text, left] = found.slice(2 * index, 2 * index + 2);
      const version = this.parseVersion(text);
      if (version === null) return null;
      return { version, ageMs: typeof left === 'number' ? Math.max(0, this.lifeMs - left) : 0 };
    });
  }

  /** @returns null where there is no hash; invalid entries are left out */
  async read(id: string): Promise<{ version: number; entries: Map<string, string> } | null> {
    const [found] = await runEach(this.client.pipeline().hgetall(PREFIX + id));
    if (typeof found !== 'object' || found === null || found instanceof WrongType) return null;
    const { [VERSION]: text, ...fields } = found as Record<string, string>;
    const version = this.parseVersion(text);
    if (version === null) return null;
    const entries = this.filterValid('a page with entries of no instance', Object.entries(fields), entry =>
      isEntry(...entry),
    );
    return { version, entries: new Map(entries) };
  }

  /** Removes an instance from the index. */
  async removeInstance(id: string): Promise<void> {
    await this.client.srem(INDEX, id);
  }

  /** Removes this instance from the index and lets its hash expire after `graceMs`. */
  async leave(graceMs: number): Promise<void> {
    if (this.client.status !== 'ready') return;
    await run(this.client.pipeline().pexpire(this.key, Math.max(1, graceMs)).srem(INDEX, this.id));
  }

  private parseVersion(found: unknown): number | null {
    if (found === null || found === undefined) return null;
    const version = typeof found === 'string' ? readVersion(found) : null;
    if (version === null) this.invalid.record('presence', 'a page without a version');
    return version;
  }

  private filterValid<T>(kind: string, list: readonly T[], isValid: (one: T) => boolean): T[] {
    const valid = list.filter(isValid);
    if (valid.length < list.length) this.invalid.record('presence', kind);
    return valid;
  }

  private put(commands: ChainableCommander, entries: ReadonlyMap<string, string>): void {
    for (const chunk of chunks([...entries])) commands.hset(this.key, new Map(chunk));
  }
}

/** The result of a command on a key of another Redis type. */
class WrongType extends Error {}

/** @throws the first error among the results */
async function run(commands: ChainableCommander): Promise<void> {
  for (const result of await runEach(commands)) if (result instanceof WrongType) throw result;
}

/** @returns the result of each command @throws any error except WRONGTYPE, which is returned as `WrongType` */
async function runEach(commands: ChainableCommander): Promise<unknown[]> {
  const results = (await commands.exec()) ?? [];
  if (results.length === 0) throw new Error('Redis returned no results');
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
