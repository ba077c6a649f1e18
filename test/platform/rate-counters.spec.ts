import { describe, expect, it, jest } from '@jest/globals';
import { MemoryCounter } from '../../src/platform/limits/memory-counter.js';
import { RateLimitService } from '../../src/platform/limits/rate-limit.service.js';
import { RateWindow } from '../../src/platform/limits/rate-window.js';
import { eventually } from '../support/eventually.js';
import { someEmail } from '../support/invites.js';
import { World } from '../support/world.js';

describe('The in-memory counter', () => {
  it('The in-memory counter counts each key in its own window.', () => {
    const counter = new MemoryCounter(60_000);
    expect([1, 2, 3].map(() => counter.add('a').consumed)).toEqual([1, 2, 3]);
    expect(counter.add('b').msLeft).toBeCloseTo(60_000);
    expect([counter.get('a')?.consumed, counter.get('b')?.consumed, counter.get('c')]).toEqual([3, 1, null]);
  });

  it('The in-memory counter keeps a limited number of keys and drops the window that ends soonest.', () => {
    const counter = new MemoryCounter(60_000, 100);
    for (let key = 0; key < 1_000; key += 1) counter.add(`key ${key}`);
    expect(counter.size).toBe(100);
    expect([counter.get('key 899'), counter.get('key 999')?.consumed]).toEqual([null, 1]);
  });

  it('The in-memory counter restarts an expired window, and removes it when a new key is added.', async () => {
    const counter = new MemoryCounter(50);
    counter.add('a');
    await eventually(() => counter.get('a') === null || undefined);
    expect(counter.size).toBe(1);
    counter.add('b');
    expect(counter.size).toBe(1);
    expect(counter.add('a').consumed).toBe(1);
  });
});

describe('Reserved points', () => {
  it('Points that were given back are free again, and never more than were counted.', async () => {
    const window = new RateWindow('x', { points: 10, seconds: 60, reserved: true }, null);
    const { giveBack } = await window.reserve('a', 8);
    await giveBack(0);
    expect((await window.get('a'))?.consumed).toBe(8);
    await giveBack(5);
    expect((await window.get('a'))?.consumed).toBe(3);
    await giveBack(1_000);
    await giveBack(-1_000);
    expect((await window.get('a'))?.consumed).toBe(0);
    expect(await window.get('b')).toBeNull();
  });

  it('Points of a window that ends soon or has ended are not given back: the next window would lack them.', async () => {
    const window = new RateWindow('x', { points: 10, seconds: 60, reserved: true }, null);
    const { giveBack } = await window.reserve('a', 8);
    const now = performance.now();
    for (const late of [56_000, 61_000]) {
      const spy = jest.spyOn(performance, 'now').mockReturnValue(now + late);
      await window.add('a', 1);
      const before = (await window.get('a'))?.consumed;
      await giveBack(8);
      expect((await window.get('a'))?.consumed).toBe(before);
      spy.mockRestore();
    }
  });
});

it("The rate limiter's memory contains no e-mail address, IP address or token.", async () => {
  const world = await World.start({ TRUST_PROXY: '1' });
  const here = { 'X-Forwarded-For': '203.0.113.77' };
  const email = someEmail();
  await world.anyone.post('/v1/auth/password/forgot', { email }, here);
  await world.anyone.post('/v1/auth/login', { email, password: 'not the right password' }, here);
  const desk = await world.desk();
  await world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken }, here);
  const keys = [...world.app.app.get(RateLimitService).windows.values()].flatMap(({ memory }) => memory.keys);
  expect(keys.length).toBeGreaterThan(6);
  expect(keys.filter(key => !/^[\w-]{22}$/.test(key))).toEqual([]);
  await world.stop();
});
