import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { BatchLoader } from '../../src/platform/database/batch-loader.js';

/** A database whose statements end when the test says so. */
class Slow {
  readonly statements: { keys: string[]; end: () => void; fail: (error: Error) => void }[] = [];
  readonly contexts: unknown[] = [];
  readonly reads = new BatchLoader<[string], string>({
    one: ([key]) => this.state([key]).then(() => (key === 'none' ? undefined : `row of ${key}`)),
    many: async keys => {
      await this.state(keys.map(([key]) => key));
      return new Map(keys.flatMap(([key], place) => (key === 'none' ? [] : [[place, `row of ${key}`]])));
    },
  });

  constructor(private readonly storage?: AsyncLocalStorage<string>) {}

  private state(keys: string[]): Promise<void> {
    this.contexts.push(this.storage?.getStore());
    return new Promise((end, fail) => this.statements.push({ keys, end, fail }));
  }

  /** What each statement asked for. */
  get asked(): string[][] {
    return this.statements.map(({ keys }) => keys);
  }
}

/** What waits for nothing but the code that runs just now has run. */
const inStep = () => Promise.resolve();
const settled = () => new Promise(resolve => setImmediate(resolve));

describe('reads that are gathered', () => {
  it('wait for nobody when they come alone', async () => {
    const slow = new Slow();
    const answer = slow.reads.load('a');
    await inStep();
    expect(slow.asked).toEqual([['a']]);
    slow.statements[0]?.end();
    expect(await answer).toBe('row of a');
  });

  it('are one statement from the first on when those who ask are in step', async () => {
    const slow = new Slow();
    const answers = Promise.all(['a', 'b', 'a'].map(key => inStep().then(() => slow.reads.load(key))));
    await settled();
    expect(slow.asked).toEqual([['a', 'b']]);
    slow.statements[0]?.end();
    expect(await answers).toEqual(['row of a', 'row of b', 'row of a']);
  });

  it('are one statement that begins after each has been asked, with each key once', async () => {
    const slow = new Slow();
    const first = slow.reads.load('a');
    await inStep();
    const rest = Promise.all(['b', 'c', 'b', 'none', 'a'].map(key => slow.reads.load(key)));
    expect(slow.asked).toEqual([['a']]);
    slow.statements[0]?.end();
    await settled();
    // `a` again: what the first statement has read may be older than the second question
    expect(slow.asked).toEqual([['a'], ['b', 'c', 'none', 'a']]);
    slow.statements[1]?.end();
    expect(await first).toBe('row of a');
    expect(await rest).toEqual(['row of b', 'row of c', 'row of b', undefined, 'row of a']);
    expect(await Promise.race([slow.reads.load('d'), settled().then(() => slow.asked.at(-1))])).toEqual(['d']);
  });

  it('do not wait long for a statement that hangs', async () => {
    const slow = new Slow();
    void slow.reads.load('a');
    await inStep();
    const answer = slow.reads.load('b');
    while (slow.statements.length < 2) await settled();
    slow.statements[1]?.end();
    expect(await answer).toBe('row of b');
    slow.statements[0]?.end();
  });

  it('are asked each alone when their statement fails, so that a bad key is its own fault', async () => {
    const slow = new Slow();
    void slow.reads.load('a');
    await inStep();
    const [good, bad] = [slow.reads.load('b'), slow.reads.load('not an id')];
    slow.statements[0]?.end();
    await settled();
    slow.statements[1]?.fail(new Error('invalid input syntax'));
    await settled();
    expect(slow.asked.slice(2)).toEqual([['b'], ['not an id']]);
    slow.statements[2]?.end();
    slow.statements[3]?.fail(new Error('invalid input syntax'));
    expect(await good).toBe('row of b');
    await expect(bad).rejects.toThrow('invalid input syntax');
  });

  it('go on after a failure', async () => {
    const slow = new Slow();
    const failed = slow.reads.load('a');
    await inStep();
    const next = slow.reads.load('b');
    slow.statements[0]?.fail(new Error('gone'));
    await expect(failed).rejects.toThrow('gone');
    await settled();
    slow.statements[1]?.end();
    expect(await next).toBe('row of b');
  });

  it('are read on behalf of nobody', async () => {
    const storage = new AsyncLocalStorage<string>();
    const slow = new Slow(storage);
    await storage.run('a unit of work', async () => {
      void slow.reads.load('a');
      await inStep();
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
