import { describe, expect, it } from '@jest/globals';
import { RateLimited } from '../../src/kernel/errors.js';
import { networkOf, siteOf } from '../../src/kernel/client-origin.js';
import { FairConcurrencyQueue } from '../../src/platform/limits/fair-concurrency-queue.js';
import { asRequestFrom } from '../support/present-request.js';

const PLACES = 40;

/** A queue whose work ends when the test says so. */
class Hall {
  readonly served: string[] = [];
  readonly refused: string[] = [];
  private finish: (() => void) | undefined;

  constructor(readonly queue = new FairConcurrencyQueue(PLACES)) {}

  /** Adds one piece of work: `network/principal`, or `network/principal#note`. */
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

  /** Ends what is being done, so many times. */
  async turn(times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      this.finish?.();
      await new Promise(resolve => setImmediate(resolve));
    }
  }
}

const times = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_n, i) => name(i));

describe('the queue of expensive work', () => {
  it('One account from one network delays another network by one turn, however many it has waiting', async () => {
    const hall = new Hall();
    for (const name of times(60, index => `a/mallory#${index}`)) hall.add(name);
    hall.add('b/olivia');
    await hall.turn();
    expect(hall.served).toEqual(['a/mallory#0', 'b/olivia']);
  });

  it('One account from many networks delays another account by one turn, and fills no place that it wants', async () => {
    const hall = new Hall();
    for (const name of times(60, index => `${index}/mallory`)) hall.add(name);
    hall.add('b/olivia');
    await hall.turn();
    expect([hall.served.at(-1), hall.refused.includes('b/olivia')]).toEqual(['b/olivia', false]);
  });

  it('One network with a new account each time delays another network by one turn', async () => {
    const hall = new Hall();
    for (const name of times(60, index => `a/made-up-${index}`)) hall.add(name);
    hall.add('b/olivia');
    hall.add('b/oscar');
    await hall.turn(3);
    expect(hall.served.slice(1)).toEqual(['b/olivia', 'a/made-up-1', 'b/oscar']);
  });

  it('A colleague in the same office waits one turn for an account that floods, and displaces it when places are short', async () => {
    const hall = new Hall();
    for (const name of times(41, index => `office/mallory#${index}`)) hall.add(name);
    expect(hall.refused).toEqual([]);
    hall.add('office/olivia');
    await hall.turn();
    expect(hall.refused).toEqual(['office/mallory#40']);
    expect(hall.served.at(-1)).toBe('office/olivia');
  });

  it('The owner of an e-mail that others try from elsewhere waits one turn', async () => {
    const hall = new Hall();
    for (const name of times(60, index => `a/olivia#${index}`)) hall.add(name);
    hall.add('home/olivia');
    await hall.turn();
    expect(hall.served.at(-1)).toBe('home/olivia');
  });

  it('An office of forty waits in the order in which it came, and its forty-second is refused', async () => {
    const hall = new Hall();
    const people = times(42, index => `office/${index}`);
    for (const name of people) hall.add(name);
    await new Promise(resolve => setImmediate(resolve));
    expect(hall.refused).toEqual(['office/41']);
    expect(() => hall.queue.assertRoom({ network: 'office', principal: 'new' })).toThrow(RateLimited);
    expect(() => hall.queue.assertRoom({ network: 'home', principal: 'new' })).not.toThrow();
    await hall.turn(40);
    expect(hall.served).toEqual(people.slice(0, 41));
  });

  it('A waiter is served although other networks bring a new one each turn', async () => {
    const hall = new Hall();
    hall.add('office/olivia');
    hall.add('office/oscar');
    for (let turn = 0; turn < 10 && !hall.served.includes('office/oscar'); turn += 1) {
      hall.add(`${turn}/new`);
      hall.add(`${turn}/newer`);
      await hall.turn();
    }
    expect(hall.served.indexOf('office/oscar')).toBeLessThanOrEqual(3);
  });

  it('A caller that disconnects gives up its place', async () => {
    const hall = new Hall(new FairConcurrencyQueue(1));
    hall.add('a/first');
    const { disconnect } = asRequestFrom('203.0.113.7', () => hall.add('a/second'));
    expect(() => hall.queue.assertRoom({ network: 'a', principal: 'third' })).toThrow(RateLimited);
    disconnect();
    hall.add('a/third');
    await hall.turn();
    expect([hall.served, hall.refused]).toEqual([['a/first', 'a/third'], ['a/second']]);
  });
});

describe('the site of a network', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2::3', '2001:db8:1::/48'],
    ['unknown', 'unknown'],
  ])('The site of %s is %s', (address, site) => {
    expect(siteOf(networkOf(address))).toBe(site);
  });
});
