import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fanout } from '../../src/platform/fanout/fanout.js';
import { eventually } from '../support/eventually.js';

/** Takes every body. */
export const isAnything = (_body: unknown): _body is unknown => true;

/** How a twin is set up: instances that hear each other, just one where there is only this process. */
export interface FanoutTwin {
  name: string;
  instances(): Promise<Fanout[]>;
  /** Resolves once subscriptions made until now are in effect. */
  subscribed(instance: Fanout): Promise<void>;
}

/** What every fanout promises, whatever carries it. */
export function fanoutSuite(twin: FanoutTwin): void {
  describe(`${twin.name} as a fanout`, () => {
    let instances: Fanout[];
    let publisher: Fanout;
    beforeEach(async () => {
      instances = await twin.instances();
      publisher = first(instances);
    });
    afterEach(async () => {
      for (const instance of instances) await instance.close();
    });

    /** What an instance hears of a subject, from now on. */
    async function ear(instance: Fanout, subject: string): Promise<unknown[]> {
      const heard: unknown[] = [];
      instance.subscribe(subject, isAnything, body => heard.push(body));
      await twin.subscribed(instance);
      return heard;
    }

    it('delivers to every subscriber of every instance, the publisher’s own included', async () => {
      const ears = await Promise.all([...instances, ...instances].map(instance => ear(instance, 'weather')));
      for (const [index, instance] of instances.entries()) {
        instance.publish('weather', { from: index });
        for (const heard of ears) expect((await until(heard, index + 1)).at(-1)).toEqual({ from: index });
      }
    });

    it('delivers once to each subscription, also where one listener has two', async () => {
      const heard: unknown[] = [];
      const listener = (body: unknown) => heard.push(body);
      const unsubscribe = publisher.subscribe('weather', isAnything, listener);
      publisher.subscribe('weather', isAnything, listener);
      const other = await ear(publisher, 'weather');
      publisher.publish('weather', 1);
      await until(other, 1);
      unsubscribe();
      publisher.publish('weather', 2);
      await until(other, 2);
      expect(heard).toEqual([1, 1, 2]);
    });

    it('delivers nothing of another subject', async () => {
      const heard = await ear(publisher, 'weather');
      publisher.publish('weathers', 1);
      publisher.publish('weathe', 2);
      publisher.publish('', 3);
      publisher.publish('weather', 4);
      expect(await until(heard, 1)).toEqual([4]);
    });

    it('keeps the order of one publisher’s subject', async () => {
      const ears = await Promise.all(instances.map(instance => ear(instance, 'numbers')));
      const numbers = Array.from({ length: 500 }, (_nothing, index) => index);
      for (const number of numbers) {
        publisher.publish('numbers', number);
        publisher.publish('noise', number);
      }
      for (const heard of ears) expect(await until(heard, numbers.length)).toEqual(numbers);
    });

    it('returns to the publisher before anybody hears', async () => {
      const heard = await ear(publisher, 'weather');
      publisher.publish('weather', 1);
      expect(heard).toEqual([]);
      expect(await until(heard, 1)).toEqual([1]);
    });

    it('delivers nothing more after the end of a subscription, which may be ended twice', async () => {
      const heard: unknown[] = [];
      const unsubscribe = publisher.subscribe('weather', isAnything, body => heard.push(body));
      const other = await ear(publisher, 'weather');
      publisher.publish('weather', 1);
      await until(other, 1);
      unsubscribe();
      unsubscribe();
      publisher.publish('weather', 2);
      expect(await until(other, 2)).toEqual([1, 2]);
      expect(heard).toEqual([1]);
    });

    it('can be subscribed to again after the last subscription has ended', async () => {
      publisher.subscribe('weather', isAnything, () => undefined)();
      const heard = await ear(publisher, 'weather');
      publisher.publish('weather', 1);
      expect(await until(heard, 1)).toEqual([1]);
    });

    it('lets a listener end its own subscription while it is called', async () => {
      const heard: unknown[] = [];
      const unsubscribe = publisher.subscribe('weather', isAnything, body => {
        heard.push(body);
        unsubscribe();
      });
      const other = await ear(publisher, 'weather');
      publisher.publish('weather', 1);
      publisher.publish('weather', 2);
      expect(await until(other, 2)).toEqual([1, 2]);
      expect(heard).toEqual([1]);
    });

    it('lets a listener that throws harm nobody: neither others, nor itself, nor the publisher', async () => {
      let thrown = 0;
      publisher.subscribe('weather', isAnything, () => {
        thrown += 1;
        throw new Error('a listener of the test’s own');
      });
      const heard = await ear(publisher, 'weather');
      expect(() => {
        publisher.publish('weather', 1);
        publisher.publish('weather', 2);
      }).not.toThrow();
      expect(await until(heard, 2)).toEqual([1, 2]);
      expect(thrown).toBe(2);
    });

    it.each([
      ['an object in objects', { a: { b: [1, 'two', null, true, { c: [] }] }, ключ: '🙂 \u2028 "\\' }],
      ['an empty object', {}],
      ['a list', [1.5, -0.25, 'x', []]],
      ['a text', 'text'],
      ['an empty text', ''],
      ['a long text', 'x'.repeat(200_000)],
      ['a number', 0],
      ['false', false],
      ['null', null],
    ])('carries any JSON value as it is: %s', async (_name, body) => {
      const ears = await Promise.all(instances.map(instance => ear(instance, 'values')));
      publisher.publish('values', body);
      for (const heard of ears) expect(await until(heard, 1)).toEqual([body]);
    });

    it('never throws at the publisher, not even for what is no JSON value', async () => {
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      for (const body of [undefined, circle, 1n, () => 1, Symbol('x')]) {
        expect(() => publisher.publish('values', body)).not.toThrow();
      }
      const heard = await ear(publisher, 'later');
      publisher.publish('later', 1);
      expect(await until(heard, 1)).toEqual([1]);
    });

    it('is healthy while it is open', () => {
      for (const instance of instances) expect(instance.healthy()).toBe(true);
      expect(publisher.kind).toMatch(/^[a-z]+$/);
    });

    it('falls silent when it is closed, which may happen twice, and still does not throw', async () => {
      const heard = await ear(publisher, 'weather');
      await publisher.close();
      await publisher.close();
      expect(() => publisher.publish('weather', 1)).not.toThrow();
      expect(() => publisher.subscribe('weather', isAnything, body => heard.push(body))()).not.toThrow();
      await new Promise(resolve => setImmediate(resolve));
      expect(heard).toEqual([]);
    });
  });
}

function first(instances: Fanout[]): Fanout {
  const [instance] = instances;
  if (!instance) throw new Error('a twin without an instance');
  return instance;
}

/** What has been heard, once it is that much. */
function until(heard: unknown[], count: number): Promise<unknown[]> {
  return eventually(() => (heard.length >= count ? heard : undefined));
}
