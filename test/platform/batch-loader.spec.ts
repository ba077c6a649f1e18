import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { BatchLoader } from '../../src/platform/database/batch-loader.js';

/** A database whose statements end when the test says so. */
class ManualDatabase {
  readonly statements: { keys: string[]; end: () => void; fail: (error: Error) => void }[] = [];
  readonly contexts: unknown[] = [];
  readonly reads = new BatchLoader<[string], string>({
    one: ([key]) => this.state([key]).then(() => (key === 'none' ? undefined : `row of ${key}`)),
    many: async keys => {
      await this.state(keys.map(([key]) => key));
      return new Map(keys.flatMap(([key], index) => (key === 'none' ? [] : [[index, `row of ${key}`]])));
    },
  });

  constructor(private readonly storage?: AsyncLocalStorage<string>) {}

  private state(keys: string[]): Promise<void> {
    this.contexts.push(this.storage?.getStore());
    return new Promise((end, fail) => this.statements.push({ keys, end, fail }));
  }

  /** Keys of each statement, in order. */
  get keysByStatement(): string[][] {
    return this.statements.map(({ keys }) => keys);
  }
}

/** Waits until a statement that has ended was followed by the next, which starts at the end of the turn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise(resolve => setImmediate(resolve));
}

describe('Batched reads', () => {
  it('A single read starts its statement at the end of the turn.', async () => {
    const slow = new ManualDatabase();
    const answer = slow.reads.load('a');
    await settled();
    expect(slow.keysByStatement).toEqual([['a']]);
    slow.statements[0]?.end();
    expect(await answer).toBe('row of a');
  });

  it('Reads started in the same turn share one statement.', async () => {
    const slow = new ManualDatabase();
    const inTurn = (key: string) => new Promise(resolve => process.nextTick(() => resolve(slow.reads.load(key))));
    const answers = Promise.all([slow.reads.load('a'), inTurn('b'), Promise.resolve().then(() => inTurn('a'))]);
    await settled();
    expect(slow.keysByStatement).toEqual([['a', 'b']]);
    slow.statements[0]?.end();
    expect(await answers).toEqual(['row of a', 'row of b', 'row of a']);
  });

  it('Reads that arrive during a statement share the next one, with each key once.', async () => {
    const slow = new ManualDatabase();
    const first = slow.reads.load('a');
    await settled();
    const rest = Promise.all(['b', 'c', 'b', 'none', 'a'].map(key => slow.reads.load(key)));
    expect(slow.keysByStatement).toEqual([['a']]);
    slow.statements[0]?.end();
    await settled();
    // `a` is read again: the first statement may have read an older row than the second call requires.
    expect(slow.keysByStatement).toEqual([['a'], ['b', 'c', 'none', 'a']]);
    slow.statements[1]?.end();
    expect(await first).toBe('row of a');
    expect(await rest).toEqual(['row of b', 'row of c', 'row of b', undefined, 'row of a']);
    expect(await Promise.race([slow.reads.load('d'), settled().then(() => slow.keysByStatement.at(-1))])).toEqual([
      'd',
    ]);
  });

  it('Reads that arrive in the turn in which a statement ends share the next one with those that waited.', async () => {
    const slow = new ManualDatabase();
    const first = slow.reads.load('a');
    await settled();
    void slow.reads.load('b');
    slow.statements[0]?.end();
    await first;
    await Promise.resolve().then(() => void slow.reads.load('c'));
    await settled();
    expect(slow.keysByStatement).toEqual([['a'], ['b', 'c']]);
  });

  it('Reads do not wait for a statement that hangs.', async () => {
    const slow = new ManualDatabase();
    void slow.reads.load('a');
    await settled();
    const answer = slow.reads.load('b');
    while (slow.statements.length < 2) await settled();
    slow.statements[1]?.end();
    expect(await answer).toBe('row of b');
    slow.statements[0]?.end();
  });

  it('Reads are repeated one by one when their shared statement fails, so that a bad key fails only its own read.', async () => {
    const slow = new ManualDatabase();
    void slow.reads.load('a');
    await settled();
    const [good, bad] = [slow.reads.load('b'), slow.reads.load('not an id')];
    slow.statements[0]?.end();
    await settled();
    slow.statements[1]?.fail(new Error('invalid input syntax'));
    await settled();
    expect(slow.keysByStatement.slice(2)).toEqual([['b'], ['not an id']]);
    slow.statements[2]?.end();
    slow.statements[3]?.fail(new Error('invalid input syntax'));
    expect(await good).toBe('row of b');
    await expect(bad).rejects.toThrow('invalid input syntax');
  });

  it('Reads continue after a failed statement.', async () => {
    const slow = new ManualDatabase();
    const failed = slow.reads.load('a');
    await settled();
    const next = slow.reads.load('b');
    slow.statements[0]?.fail(new Error('gone'));
    await expect(failed).rejects.toThrow('gone');
    await settled();
    slow.statements[1]?.end();
    expect(await next).toBe('row of b');
  });

  it("Batched reads run outside the caller's async context.", async () => {
    const storage = new AsyncLocalStorage<string>();
    const slow = new ManualDatabase(storage);
    await storage.run('a unit of work', async () => {
      void slow.reads.load('a');
      await settled();
      const answer = slow.reads.load('b');
      slow.statements[0]?.end();
      await settled();
      slow.statements[1]?.end();
      await answer;
      expect(storage.getStore()).toBe('a unit of work');
    });
    expect(slow.contexts).toEqual([undefined, undefined]);
  });
});
