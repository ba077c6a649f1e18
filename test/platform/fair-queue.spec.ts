import { describe, expect, it } from '@jest/globals';
import { RateLimited } from '../../src/kernel/errors.js';
import { networkOf, siteOf } from '../../src/kernel/client-origin.js';
import { FairConcurrencyQueue } from '../../src/platform/limits/fair-concurrency-queue.js';
import { asRequestFrom } from '../support/current-request.js';

const CAPACITY = 40;

/** A queue whose running work ends when the test says so. */
class ManualQueue {
  readonly served: string[] = [];
  readonly refused: string[] = [];
  private finish: (() => void) | undefined;

  constructor(readonly queue = new FairConcurrencyQueue(CAPACITY)) {}

  /** Adds one piece of work, named `network/principal` or `network/principal#comment`. */
  add(name: string): void {
    const [network = '', principal = ''] = (name.split('#')[0] ?? '').split('/');
    const work = () => {
      this.served.push(name);
      return new Promise<void>(resolve => (this.finish = resolve));
    };
    this.queue.run({ network, principal }, work).catch((error: unknown) => {
      if (!(error instanceof RateLimited)) throw error;
      this.refused.push(name);
    });
  }

  /** Finishes the running work, this many times. */
  async finishCurrent(times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      this.finish?.();
      await new Promise(resolve => setImmediate(resolve));
    }
  }
}

const times = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_n, i) => name(i));

describe('The fair concurrency queue', () => {
  it('One account from one network delays another network by one turn, however many requests it has queued.', async () => {
    const manual = new ManualQueue();
    for (const name of times(60, index => `a/mallory#${index}`)) manual.add(name);
    manual.add('b/olivia');
    await manual.finishCurrent();
    expect(manual.served).toEqual(['a/mallory#0', 'b/olivia']);
  });

  it('One account from many networks delays another account by one turn, and does not cause its refusal.', async () => {
    const manual = new ManualQueue();
    for (const name of times(60, index => `${index}/mallory`)) manual.add(name);
    manual.add('b/olivia');
    await manual.finishCurrent();
    expect([manual.served.at(-1), manual.refused.includes('b/olivia')]).toEqual(['b/olivia', false]);
  });

  it('One network with a new account for each request delays another network by one turn.', async () => {
    const manual = new ManualQueue();
    for (const name of times(60, index => `a/made-up-${index}`)) manual.add(name);
    manual.add('b/olivia');
    manual.add('b/oscar');
    await manual.finishCurrent(3);
    expect(manual.served.slice(1)).toEqual(['b/olivia', 'a/made-up-1', 'b/oscar']);
  });

  it('A colleague in the same office waits one turn for a flooding account, whose newest request is dropped when the queue is full.', async () => {
    const manual = new ManualQueue();
    for (const name of times(41, index => `office/mallory#${index}`)) manual.add(name);
    expect(manual.refused).toEqual([]);
    manual.add('office/olivia');
    await manual.finishCurrent();
    expect(manual.refused).toEqual(['office/mallory#40']);
    expect(manual.served.at(-1)).toBe('office/olivia');
  });

  it('The owner of an e-mail address that others try from elsewhere waits one turn.', async () => {
    const manual = new ManualQueue();
    for (const name of times(60, index => `a/olivia#${index}`)) manual.add(name);
    manual.add('home/olivia');
    await manual.finishCurrent();
    expect(manual.served.at(-1)).toBe('home/olivia');
  });

  it('Forty-one accounts of one office are served in order of arrival, and the forty-second is refused.', async () => {
    const manual = new ManualQueue();
    const names = times(42, index => `office/${index}`);
    for (const name of names) manual.add(name);
    await new Promise(resolve => setImmediate(resolve));
    expect(manual.refused).toEqual(['office/41']);
    expect(() => manual.queue.assertRoom({ network: 'office', principal: 'new' })).toThrow(RateLimited);
    expect(() => manual.queue.assertRoom({ network: 'home', principal: 'new' })).not.toThrow();
    await manual.finishCurrent(40);
    expect(manual.served).toEqual(names.slice(0, 41));
  });

  it('A waiting request is served although other networks add new ones each turn.', async () => {
    const manual = new ManualQueue();
    manual.add('office/olivia');
    manual.add('office/oscar');
    for (let round = 0; round < 10 && !manual.served.includes('office/oscar'); round += 1) {
      manual.add(`${round}/new`);
      manual.add(`${round}/newer`);
      await manual.finishCurrent();
    }
    expect(manual.served.indexOf('office/oscar')).toBeLessThanOrEqual(3);
  });

  it('A client that disconnects frees its slot in the queue.', async () => {
    const manual = new ManualQueue(new FairConcurrencyQueue(1));
    manual.add('a/first');
    const { disconnect } = asRequestFrom('203.0.113.7', () => manual.add('a/second'));
    expect(() => manual.queue.assertRoom({ network: 'a', principal: 'third' })).toThrow(RateLimited);
    disconnect();
    manual.add('a/third');
    await manual.finishCurrent();
    expect([manual.served, manual.refused]).toEqual([['a/first', 'a/third'], ['a/second']]);
  });
});

describe('The site of a network', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2::3', '2001:db8:1::/48'],
    ['unknown', 'unknown'],
  ])('The site of %s is %s.', (address, site) => {
    expect(siteOf(networkOf(address))).toBe(site);
  });
});
