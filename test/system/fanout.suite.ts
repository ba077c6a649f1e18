import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fanout } from '../../src/platform/fanout/fanout.js';
import { eventually } from '../support/eventually.js';

/** Accepts every body. */
export const isAnything = (_body: unknown): _body is unknown => true;

/** Starts connected instances of an implementation; only one if it works within one process. */
export interface FanoutImplementation {
  name: string;
  instances(): Promise<Fanout[]>;
  /** Resolves once subscriptions made until now are in effect. */
  subscribed(instance: Fanout): Promise<void>;
}

/** Defines the tests that every implementation of `Fanout` must pass. */
export function fanoutSuite(implementation: FanoutImplementation): void {
  const { name } = implementation;
  describe(`${name} as a fanout`, () => {
    let instances: Fanout[];
    let publisher: Fanout;
    beforeEach(async () => {
      instances = await implementation.instances();
      publisher = first(instances);
    });
    afterEach(async () => {
      for (const instance of instances) await instance.close();
    });

    /** Subscribes an instance to a subject. @returns the list that received bodies are added to */
    async function subscribe(instance: Fanout, subject: string): Promise<unknown[]> {
      const received: unknown[] = [];
      instance.subscribe(subject, isAnything, body => received.push(body));
      await implementation.subscribed(instance);
      return received;
    }

    it(`${name} delivers to every subscriber of every instance, including the publisher’s`, async () => {
      const subscribers = await Promise.all(
        [...instances, ...instances].map(instance => subscribe(instance, 'weather')),
      );
      for (const [index, instance] of instances.entries()) {
        instance.publish('weather', { from: index });
        for (const received of subscribers) expect((await until(received, index + 1)).at(-1)).toEqual({ from: index });
      }
    });

    it(`${name} delivers once per subscription, even if one listener has two`, async () => {
      const received: unknown[] = [];
      const listener = (body: unknown) => received.push(body);
      const unsubscribe = publisher.subscribe('weather', isAnything, listener);
      publisher.subscribe('weather', isAnything, listener);
      const other = await subscribe(publisher, 'weather');
      publisher.publish('weather', 1);
      await until(other, 1);
      unsubscribe();
      publisher.publish('weather', 2);
      await until(other, 2);
      expect(received).toEqual([1, 1, 2]);
    });

    it(`${name} delivers nothing of another subject`, async () => {
      const received = await subscribe(publisher, 'weather');
      publisher.publish('weathers', 1);
      publisher.publish('weathe', 2);
      publisher.publish('', 3);
      publisher.publish('weather', 4);
      expect(await until(received, 1)).toEqual([4]);
    });

    it(`${name} keeps the order of one publisher’s messages on a subject`, async () => {
      const subscribers = await Promise.all(instances.map(instance => subscribe(instance, 'numbers')));
      const numbers = Array.from({ length: 500 }, (_nothing, index) => index);
      for (const number of numbers) {
        publisher.publish('numbers', number);
        publisher.publish('noise', number);
      }
      for (const received of subscribers) expect(await until(received, numbers.length)).toEqual(numbers);
    });

    it(`${name} calls subscribers only after publish has returned`, async () => {
      const received = await subscribe(publisher, 'weather');
      publisher.publish('weather', 1);
      expect(received).toEqual([]);
      expect(await until(received, 1)).toEqual([1]);
    });

    it(`${name} delivers nothing after unsubscribing, which may be called twice`, async () => {
      const received: unknown[] = [];
      const unsubscribe = publisher.subscribe('weather', isAnything, body => received.push(body));
      const other = await subscribe(publisher, 'weather');
      publisher.publish('weather', 1);
      await until(other, 1);
      unsubscribe();
      unsubscribe();
      publisher.publish('weather', 2);
      expect(await until(other, 2)).toEqual([1, 2]);
      expect(received).toEqual([1]);
    });

    it(`${name} allows a new subscription after the last one has ended`, async () => {
      publisher.subscribe('weather', isAnything, () => undefined)();
      const received = await subscribe(publisher, 'weather');
      publisher.publish('weather', 1);
      expect(await until(received, 1)).toEqual([1]);
    });

    it(`${name} lets a listener unsubscribe while it is called`, async () => {
      const received: unknown[] = [];
      const unsubscribe = publisher.subscribe('weather', isAnything, body => {
        received.push(body);
        unsubscribe();
      });
      const other = await subscribe(publisher, 'weather');
      publisher.publish('weather', 1);
      publisher.publish('weather', 2);
      expect(await until(other, 2)).toEqual([1, 2]);
      expect(received).toEqual([1]);
    });

    it(`${name} keeps delivering after a listener has thrown, and the publisher does not notice`, async () => {
      let thrown = 0;
      publisher.subscribe('weather', isAnything, () => {
        thrown += 1;
        throw new Error('this listener fails');
      });
      const received = await subscribe(publisher, 'weather');
      expect(() => {
        publisher.publish('weather', 1);
        publisher.publish('weather', 2);
      }).not.toThrow();
      expect(await until(received, 2)).toEqual([1, 2]);
      expect(thrown).toBe(2);
    });

    it.each([
      ['an object in objects', { a: { b: [1, 'two', null, true, { c: [] }] }, ключ: '🙂 \u2028 "\\' }],
      ['an empty object', {}],
      ['an array', [1.5, -0.25, 'x', []]],
      ['a string', 'text'],
      ['an empty string', ''],
      ['a long string', 'x'.repeat(200_000)],
      ['a number', 0],
      ['false', false],
      ['null', null],
    ])(`${name} delivers a JSON value unchanged: %s`, async (_kind, body) => {
      const subscribers = await Promise.all(instances.map(instance => subscribe(instance, 'values')));
      publisher.publish('values', body);
      for (const received of subscribers) expect(await until(received, 1)).toEqual([body]);
    });

    it(`${name} does not throw when a value that is not JSON is published`, async () => {
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      for (const body of [undefined, circle, 1n, () => 1, Symbol('x')]) {
        expect(() => publisher.publish('values', body)).not.toThrow();
      }
      const received = await subscribe(publisher, 'later');
      publisher.publish('later', 1);
      expect(await until(received, 1)).toEqual([1]);
    });

    it(`${name} is healthy while it is open`, () => {
      for (const instance of instances) expect(instance.healthy()).toBe(true);
      expect(publisher.kind).toMatch(/^[a-z]+$/);
    });

    it(`${name} delivers nothing after close, which may be called twice, and does not throw`, async () => {
      const received = await subscribe(publisher, 'weather');
      await publisher.close();
      await publisher.close();
      expect(() => publisher.publish('weather', 1)).not.toThrow();
      expect(() => publisher.subscribe('weather', isAnything, body => received.push(body))()).not.toThrow();
      await new Promise(resolve => setImmediate(resolve));
      expect(received).toEqual([]);
    });
  });
}

function first(instances: Fanout[]): Fanout {
  const [instance] = instances;
  if (!instance) throw new Error('an implementation without an instance');
  return instance;
}

/** Waits until `count` bodies were received. @returns them */
function until(received: unknown[], count: number): Promise<unknown[]> {
  return eventually(() => (received.length >= count ? received : undefined));
}
