import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Keepalive } from '../../clients/sdk/src/keepalive.js';

const MINUTE = 60_000;

let pings: number;
let timeouts: boolean[];
let keepalive: Keepalive;

beforeEach(() => {
  jest.useFakeTimers();
  pings = 0;
  timeouts = [];
  keepalive = new Keepalive(
    () => (pings += 1),
    probed => timeouts.push(probed),
  );
});
afterEach(() => keepalive.stop());

const answer = () => {
  keepalive.recordData();
  keepalive.recordPong();
};

describe('The keepalive of a socket', () => {
  it('A keepalive whose timer runs once a minute in a hidden page never closes while each ping is answered', () => {
    // A timer of 60 s with a wait of 60 s is a page that Chrome wakes once a minute, at the settings of the service.
    keepalive.start(MINUTE, MINUTE);
    for (let minute = 0; minute < 120; minute++) {
      jest.advanceTimersByTime(MINUTE);
      answer();
    }
    expect([pings, timeouts]).toEqual([120, []]);
  });

  it('A keepalive closes after two unanswered pings, and not after one', () => {
    keepalive.start(MINUTE, MINUTE);
    jest.advanceTimersByTime(2 * MINUTE);
    expect([pings, timeouts]).toEqual([2, []]);
    jest.advanceTimersByTime(MINUTE);
    expect([pings, timeouts]).toEqual([2, [false]]);
  });

  it('A keepalive at the settings of the service closes a silent connection within 75 seconds', () => {
    keepalive.start(25_000, 60_000);
    jest.advanceTimersByTime(74_999);
    expect(timeouts).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(timeouts).toEqual([false]);
  });

  it('A keepalive counts any data as an answer', () => {
    keepalive.start(25_000, 60_000);
    for (let tick = 0; tick < 10; tick++) {
      jest.advanceTimersByTime(25_000);
      if (tick % 2 === 1) keepalive.recordData();
    }
    expect([pings, timeouts]).toEqual([10, []]);
  });

  it('A keepalive waits for as many pings as a long wait of the service contains', () => {
    keepalive.start(10_000, 60_000);
    jest.advanceTimersByTime(60_000);
    expect(timeouts).toEqual([]);
    jest.advanceTimersByTime(10_000);
    expect(timeouts).toEqual([false]);
  });
});

describe('A probe after a wake-up', () => {
  beforeEach(() => keepalive.start(MINUTE, MINUTE));

  it('A probe pings at once and closes after its patience without a pong', () => {
    keepalive.probe(4_000);
    expect(pings).toBe(1);
    jest.advanceTimersByTime(3_999);
    expect(timeouts).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(timeouts).toEqual([true]);
  });

  it('A probe ends with the pong', () => {
    keepalive.probe(4_000);
    jest.advanceTimersByTime(3_999);
    answer();
    jest.advanceTimersByTime(20_000);
    expect([pings, timeouts]).toEqual([1, []]);
  });

  it('A probe does not take data that arrived before the sleep for a pong, and lets a long replay continue', () => {
    keepalive.probe(4_000);
    keepalive.recordData();
    jest.advanceTimersByTime(4_000);
    expect([pings, timeouts]).toEqual([2, []]);
    jest.advanceTimersByTime(4_000);
    expect(timeouts).toEqual([true]);
  });

  it('Several wake-ups at once make one probe', () => {
    keepalive.probe(4_000);
    keepalive.probe(4_000);
    jest.advanceTimersByTime(4_000);
    expect([pings, timeouts]).toEqual([1, [true]]);
  });
});
