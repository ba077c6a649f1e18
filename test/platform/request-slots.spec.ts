import { describe, expect, it } from '@jest/globals';
import { RequestSlots } from '../../src/platform/outbound/request-slots.js';

const never = new AbortController().signal;
/** Lets started waiters continue. */
const settle = () => new Promise(resolve => setImmediate(resolve));

/** Slots whose users are recorded by name in the order of their start. */
class Play {
  readonly slots: RequestSlots;
  readonly started: string[] = [];
  private readonly frees = new Map<string, () => void>();

  constructor(limits: { perHost: number; perWorkspace: number; perInstance: number }) {
    this.slots = new RequestSlots(limits);
  }

  async want(name: string, workspaceId: string, origin: string, signal = never, isFailing = false): Promise<void> {
    void this.slots.acquire({ workspaceId, origin, isFailing }, signal).then(
      free => {
        this.started.push(name);
        this.frees.set(name, free);
      },
      () => this.started.push(`${name} cancelled`),
    );
    await settle();
  }

  async free(name: string): Promise<void> {
    this.frees.get(name)?.();
    await settle();
  }
}

const WIDE = { perHost: 100, perWorkspace: 100, perInstance: 1_000 };

describe('Slots of outbound requests', () => {
  it('A host, a workspace and an instance each have their limit.', async () => {
    for (const [limits, workspaceOf, hostOf] of [
      [{ ...WIDE, perHost: 3 }, (n: number) => `w${n}`, () => 'h'],
      [{ ...WIDE, perWorkspace: 3 }, () => 'w', (n: number) => `h${n}`],
      [{ ...WIDE, perInstance: 3 }, (n: number) => `w${n}`, (n: number) => `h${n}`],
    ] as const) {
      const play = new Play(limits);
      for (let n = 1; n <= 5; n += 1) await play.want(String(n), workspaceOf(n), hostOf(n));
      expect([play.started, play.slots.usedCount, play.slots.waitingCount]).toEqual([['1', '2', '3'], 3, 2]);
      await play.free('2');
      await play.free('2');
      expect([play.started.at(-1), play.slots.usedCount, play.slots.waitingCount]).toEqual(['4', 3, 1]);
    }
  });

  it('A full host delays neither the other hosts of its workspace nor other workspaces.', async () => {
    const play = new Play({ ...WIDE, perHost: 1 });
    await play.want('a', 'w1', 'slow');
    for (let n = 0; n < 50; n += 1) await play.want('later', 'w1', 'slow');
    await play.want('b', 'w1', 'fast');
    await play.want('c', 'w2', 'other');
    expect(play.started).toEqual(['a', 'b', 'c']);
  });

  it('Failing requests use half of the slots of a host, and others start before those that wait.', async () => {
    const play = new Play({ ...WIDE, perHost: 3 });
    for (const name of ['f1', 'f2', 'f3']) await play.want(name, 'w1', 'h', never, true);
    await play.want('f4', 'w2', 'h', never, true);
    await play.want('a', 'w1', 'h');
    await play.want('b', 'w2', 'h');
    expect(play.started).toEqual(['f1', 'f2', 'a']);
    for (const name of ['f1', 'a', 'f2', 'b']) await play.free(name);
    expect(play.started).toEqual(['f1', 'f2', 'a', 'f3', 'b', 'f4']);
    for (const name of ['f3', 'f4']) await play.free(name);
    expect([play.slots.usedCount, play.slots.waitingCount]).toEqual([0, 0]);
  });

  it('A full workspace does not delay another one that calls the same host.', async () => {
    const play = new Play({ ...WIDE, perWorkspace: 1 });
    await play.want('a', 'w1', 'h');
    await play.want('later', 'w1', 'h');
    await play.want('b', 'w2', 'h');
    expect(play.started).toEqual(['a', 'b']);
  });

  it('Waiting workspaces take turns, and so do the hosts of one workspace.', async () => {
    const play = new Play({ ...WIDE, perInstance: 1 });
    await play.want('0', 'w0', 'h');
    for (const n of [1, 2, 3]) await play.want(`a${n}`, 'a', 'h1');
    await play.want('a4', 'a', 'h2');
    for (const n of [1, 2]) await play.want(`b${n}`, 'b', 'h');
    for (const name of ['0', 'a1', 'b1', 'a4', 'b2', 'a2', 'a3']) await play.free(name);
    expect(play.started).toEqual(['0', 'a1', 'b1', 'a4', 'b2', 'a2', 'a3']);
    expect([play.slots.usedCount, play.slots.waitingCount]).toEqual([0, 0]);
  });

  it('Slow hosts of a few workspaces leave room for the others.', async () => {
    const play = new Play({ perHost: 10, perWorkspace: 40, perInstance: 256 });
    for (let workspace = 0; workspace < 20; workspace += 1) {
      for (let n = 0; n < 60; n += 1) await play.want('slow', `w${workspace}`, `h${workspace}-${n % 6}`);
    }
    expect(play.slots.usedCount).toBeLessThan(256);
    await play.want('newcomer', 'w', 'h');
    expect(play.started.at(-1)).toBe('newcomer');
  });

  it('A workspace alone has its whole share, and many workspaces use every slot.', async () => {
    const play = new Play({ perHost: 10, perWorkspace: 40, perInstance: 256 });
    for (let n = 0; n < 50; n += 1) await play.want('x', 'w', `h${n}`);
    expect(play.slots.usedCount).toBe(40);
    for (let n = 0; n < 300; n += 1) await play.want('x', `w${n}`, `h${n}`);
    expect([play.slots.usedCount, play.slots.waitingCount]).toEqual([256, 94]);
  });

  it('A request that ends while it waits takes no slot and costs nobody a turn.', async () => {
    const play = new Play({ ...WIDE, perInstance: 1 });
    const ended = new AbortController();
    await play.want('0', 'w0', 'h');
    await play.want('a1', 'a', 'h', ended.signal);
    await play.want('a2', 'a', 'h');
    await play.want('b1', 'b', 'h');
    ended.abort();
    await settle();
    await play.want('late', 'c', 'h', ended.signal);
    for (const name of ['0', 'a2', 'b1']) await play.free(name);
    expect(play.started).toEqual(['0', 'a1 cancelled', 'late cancelled', 'a2', 'b1']);
    expect([play.slots.usedCount, play.slots.waitingCount]).toEqual([0, 0]);
  });

  it('A request that ends after its start keeps its slot until it frees it.', async () => {
    const play = new Play({ ...WIDE, perInstance: 1 });
    const ended = new AbortController();
    await play.want('0', 'w0', 'h');
    await play.want('a', 'a', 'h', ended.signal);
    await play.free('0');
    ended.abort();
    await settle();
    expect([play.started, play.slots.usedCount]).toEqual([['0', 'a'], 1]);
  });
});
