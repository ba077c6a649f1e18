import { describe, expect, it, jest } from '@jest/globals';
import { ApiError } from '../../clients/sdk/src/index.js';
import { browser, log, pass } from './browser-for-each.js';
import type { FakeTab } from './fake-browser.js';
import { SharedApp } from './shared-app.js';

/** Opens the app in a tab, and waits until it is connected. */
async function open(isVisible = false, options: { name?: string; after?: string } = {}): Promise<SharedApp> {
  const app = new SharedApp(browser.openTab(isVisible), log, options);
  await pass(100);
  return app;
}

/** Opens tabs of which the first one is visible. */
async function openTabs(count: number): Promise<SharedApp[]> {
  const apps = [await open(true)];
  while (apps.length < count) apps.push(await open());
  return apps;
}

async function append(count = 1): Promise<void> {
  log.append(count);
  await pass(20);
}

const leaders = (apps: SharedApp[]) => apps.flatMap(({ isLeader }, index) => (isLeader ? index : []));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const countOf = (app: SharedApp, type: string) => app.types.filter(each => each === type).length;

describe('Tabs that share a socket', () => {
  it('Twelve tabs open one socket, and each of them receives each event once and in order', async () => {
    const apps = await openTabs(12);
    await append(5);
    expect(log.handshakes).toEqual([null]);
    expect(leaders(apps)).toEqual([0]);
    for (const { events, live } of apps) {
      expect(events).toEqual([1, 2, 3, 4, 5]);
      expect([live.state, live.cursor]).toEqual(['connected', 'c4']);
    }
  });

  it('Twelve tabs that open at the same time are all connected by one socket', async () => {
    const apps = numbers(1, 12).map(() => new SharedApp(browser.openTab(), log));
    await Promise.all([pass(100), ...apps.map(({ live }) => live.open())]);
    expect(log.handshakes).toEqual([null]);
    expect(leaders(apps)).toHaveLength(1);
  });

  it('Tabs of two principals share nothing', async () => {
    const [one, other] = [await open(true, { name: 'member-1' }), await open(true, { name: 'member-2' })];
    expect(log.openSockets).toBe(2);
    expect([one.isLeader, other.isLeader]).toEqual([true, true]);
  });

  it('A tab that joins late receives `connected` and who is online, and only events from then on', async () => {
    const presence = (id: string, status: string) => ({ type: 'presence.updated', data: { subject_id: id, status } });
    log.snapshot = [presence('ada', 'online'), presence('ben', 'online')];
    await open(true);
    await append(3);
    log.broadcast(presence('ben', 'offline'));
    const late = await open();
    await append();
    expect(late.types).toEqual(['connected', 'presence.updated', 'message.created']);
    expect([late.events, late.reads]).toEqual([[4], [3]]);
    expect(log.handshakes).toHaveLength(1);
  });

  it('A tab with a stored cursor receives what the other tabs have received since', async () => {
    await open(true);
    await append(4);
    const returning = await open(false, { after: 'c2' });
    expect(returning.types).toEqual(['connected', 'message.created', 'message.created']);
    expect(returning.events).toEqual([3, 4]);
  });

  it('A tab with a stored cursor from before the socket reads the present state', async () => {
    await append(4);
    await open(true);
    await append(2);
    const returning = await open(false, { after: 'c2' });
    await append();
    expect(returning.types).toEqual(['connected', 'sync.required', 'message.created']);
    expect(returning.events).toEqual([7]);
  });

  it('A frame of any tab is sent by the tab that leads', async () => {
    const [, follower] = await openTabs(2);
    expect(follower!.live.typing('c1')).toBe(true);
    await pass(10);
    expect(log.received).toEqual([{ type: 'typing', conversation_id: 'c1' }]);
    log.refusal = 1006;
    log.cut();
    await pass(10);
    expect(follower!.live.typing('c1')).toBe(false);
  });

  it('All tabs notice that the connection was lost, and that it is back', async () => {
    const apps = await openTabs(3);
    log.refusal = 1006;
    log.cut();
    await pass(10);
    for (const { live, closed } of apps) {
      expect(live.state).not.toBe('connected');
      expect(closed).toEqual([expect.objectContaining({ code: 1011, willReconnect: true })]);
    }
    log.append(2);
    log.refusal = undefined;
    await pass(1_000);
    for (const { live, events } of apps) expect([live.state, events]).toEqual(['connected', [1, 2]]);
  });

  it('A tab that joins while the connection is lost learns it', async () => {
    await open(true);
    log.refusal = 1006;
    log.cut();
    const late = await open();
    expect(late.live.state).toBe('waiting');
    log.refusal = undefined;
    await pass(1_000);
    await late.live.open();
    expect(late.types).toEqual(['connected', 'resumed']);
  });

  it('`sync.required` of the service reaches all tabs', async () => {
    log.replayLimit = 3;
    const apps = await openTabs(3);
    log.refusal = 1006;
    log.cut();
    log.append(6);
    log.refusal = undefined;
    await pass(1_000);
    await append();
    for (const app of apps) expect([countOf(app, 'sync.required'), app.events]).toEqual([1, [7]]);
  });

  it('A socket that the service ends for good ends in all tabs, with the same error, and no tab tries again', async () => {
    const apps = await openTabs(3);
    const ends = apps.map(({ live }) => live.waitFor('message.created').catch((error: unknown) => error as ApiError));
    log.cut(4502);
    await pass(10);
    for (const [index, { live, isLeader }] of apps.entries()) {
      expect([live.state, isLeader]).toEqual(['closed', false]);
      expect(await ends[index]).toMatchObject({ status: 401, code: 'socket_closed', data: { close_code: 4502 } });
    }
    await pass(60_000);
    expect(log.handshakes).toHaveLength(1);
  });

  it('The error of a token that cannot be renewed is an ApiError in all tabs', async () => {
    const apps = await openTabs(2);
    const renew = () =>
      Promise.reject(new ApiError({ status: 401, code: 'token_revoked', message: 'The session has ended.' }));
    jest.spyOn(apps[0]!.credential, 'renew').mockImplementation(renew);
    log.cut(4003);
    await pass(100);
    for (const { closed } of apps) {
      const { error } = closed.at(-1)!;
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 401, code: 'token_revoked', message: 'The session has ended.' });
    }
  });

  it('After all tabs have closed there is no socket, and a tab can open another one', async () => {
    const apps = await openTabs(3);
    for (const app of apps) app.close();
    await pass(5_000);
    expect([log.openSockets, browser.channels.size, leaders(apps)]).toEqual([0, 0, []]);
    for (const { live } of apps)
      await expect(live.waitFor('connected')).rejects.toMatchObject({ code: 'socket_closed' });
    const [again] = await openTabs(1);
    expect([again!.live.state, log.openSockets]).toEqual(['connected', 1]);
  });

  it('Without Web Locks each tab has its own socket', async () => {
    const apps = [true, false].map(isVisible => {
      const tab = browser.openTab(isVisible);
      return new SharedApp(Object.assign(tab, { locks: undefined }), log);
    });
    await pass(100);
    await append(2);
    expect(log.openSockets).toBe(2);
    for (const { events, isLeader } of apps) expect([events, isLeader]).toEqual([[1, 2], true]);
  });

  it('A tab that may not use locks has its own socket', async () => {
    const tab = browser.openTab();
    const request = () => Promise.reject(new DOMException('The page has no origin', 'SecurityError'));
    const app = new SharedApp(Object.assign(tab, { locks: { request } }), log);
    await pass(100);
    await append();
    expect([app.events, app.isLeader]).toEqual([[1], true]);
  });
});

describe('A change of the tab that leads', () => {
  /** Asserts that all have received all events, and none twice, without reading the present state again. */
  function expectAll(apps: SharedApp[], to: number): void {
    for (const app of apps) {
      expect(app.events).toEqual(numbers(1, to));
      expect(countOf(app, 'sync.required')).toBe(0);
    }
  }

  it.each([
    ['closes its socket', ({ close }: { close: () => void }) => close()],
    ['ends', ({ tab }: { tab: FakeTab }) => tab.end()],
  ])('When the leader %s, another tab leads in less than a second, and no event is lost', async (_how, stop) => {
    const [leader, ...others] = await openTabs(4);
    await append(3);
    stop({ close: () => leader!.close(), tab: leader!.tab });
    log.append(2);
    await pass(900);
    expect([leaders(others), log.openSockets]).toEqual([[0], 1]);
    await append(2);
    expectAll(others, 7);
    expect(log.handshakes).toEqual([null, 'c2']);
  });

  it('A visible tab takes the socket from a leader that is hidden', async () => {
    const [first, second] = await openTabs(2);
    await append(2);
    first!.tab.hide();
    second!.tab.show();
    await pass(100);
    await append(2);
    expect([first!.isLeader, second!.isLeader, log.openSockets]).toEqual([false, true, 1]);
    expectAll([first!, second!], 4);
  });

  it('A tab that is visible already takes the socket from a leader that becomes hidden', async () => {
    const [first, second] = [await open(true), await open(true)];
    expect([first.isLeader, second.isLeader]).toEqual([true, false]);
    await append(2);
    first.tab.hide();
    await pass(100);
    await append(2);
    expect([first.isLeader, second.isLeader, log.openSockets]).toEqual([false, true, 1]);
    expectAll([first, second], 4);
  });

  it('A visible tab takes the socket from a leader that is suspended, which catches up later', async () => {
    const [first, second, third] = await openTabs(3);
    await append(2);
    first!.tab.suspend();
    await pass(100);
    log.append(2);
    second!.tab.show();
    await pass(1_500);
    await append(2);
    expect([leaders([first!, second!, third!]), second!.events]).toEqual([[0, 1], numbers(1, 6)]);
    first!.tab.resume();
    await pass(100);
    await append();
    expect([leaders([first!, second!, third!]), log.openSockets]).toEqual([[1], 1]);
    expectAll([first!, second!, third!], 7);
  });

  it('A tab opened beside a hidden leader takes the socket, and the former leader loses no event', async () => {
    const [first] = await openTabs(1);
    await append(4);
    first!.tab.hide();
    const second = await open(true);
    await pass(100);
    await append(2);
    expect([second.isLeader, second.events, log.openSockets]).toEqual([true, [5, 6], 1]);
    expectAll([first!], 6);
  });

  it('A new leader that has received less than the others repeats nothing to them', async () => {
    const [leader, second, third] = await openTabs(3);
    await append(2);
    browser.isLost = (_from, to) => to === second!.tab;
    await append(2);
    browser.isLost = () => false;
    leader!.tab.end();
    await pass(100);
    await append(2);
    expect(second!.isLeader).toBe(true);
    expectAll([second!, third!], 6);
  });

  it('A tab that comes back reads the present state if the leader has read an event instead of receiving it', async () => {
    const [first, second] = await openTabs(2);
    await append(2);
    second!.tab.leave();
    await append();
    const third = await open(true);
    log.refusal = 1006;
    first!.tab.end();
    await pass(100);
    second!.tab.comeBack();
    await pass(100);
    log.refusal = undefined;
    await pass(10_000);
    await append();
    expect([third.isLeader, third.reads, third.events]).toEqual([true, [3], [4]]);
    expect([second!.reads.slice(1), second!.events]).toEqual([[3], [1, 2, 4]]);
  });

  it('A tab opened beside a leader that is offline since long ago notifies of nothing that happened since', async () => {
    const [first, second] = await openTabs(2);
    await append(2);
    second!.tab.leave();
    await append(4);
    log.refusal = 1006;
    first!.close();
    second!.tab.comeBack();
    await pass(2_000);
    expect(second!.isLeader).toBe(true);
    const third = await open(true);
    second!.tab.end();
    log.refusal = undefined;
    await pass(10_000);
    await append(2);
    expect([first!.notified, third.notified, third.reads]).toEqual([numbers(1, 6), [7, 8], [6]]);
  });

  it('The conversation that a visible tab shows is viewed by the socket of the next leader too', async () => {
    const [leader, second, third] = await openTabs(3);
    leader!.live.viewing('c1');
    second!.live.viewing('c2');
    await pass(10);
    leader!.tab.end();
    third!.tab.show();
    third!.live.viewing('c3');
    await pass(2_000);
    expect(third!.isLeader).toBe(true);
    expect(log.received.at(-1)).toEqual({ type: 'viewing', conversation_id: 'c3' });
    const before = log.received.length;
    log.cut();
    await pass(1_000);
    expect(log.received.slice(before)).toContainEqual({ type: 'viewing', conversation_id: 'c3' });
  });

  it('A page that is left passes the socket on, and catches up when the visitor comes back to it', async () => {
    const [first, second] = await openTabs(2);
    await append(2);
    first!.tab.leave();
    await pass(100);
    await append(2);
    expect([first!.isLeader, second!.isLeader, browser.channels.size]).toEqual([false, true, 1]);
    first!.tab.comeBack();
    await pass(100);
    await append(2);
    expectAll([first!, second!], 6);
    expect(log.openSockets).toBe(1);
  });
});

describe('A message between tabs that is lost', () => {
  it('A tab that has lost messages receives them with the next one, and the other tabs receive nothing twice', async () => {
    const [leader, second, third] = await openTabs(3);
    await append(2);
    browser.isLost = (_from, to) => to === second!.tab;
    await append(5);
    browser.isLost = () => false;
    expect(second!.events).toEqual([1, 2]);
    await append();
    for (const app of [leader!, second!, third!]) expect(app.events).toEqual(numbers(1, 8));
    expect([countOf(second!, 'sync.required'), log.handshakes.length]).toEqual([0, 1]);
  });

  it('A tab that has lost the last message receives it within half a minute', async () => {
    const [, second] = await openTabs(2);
    browser.isLost = () => true;
    await append(2);
    browser.isLost = () => false;
    await pass(30_000);
    expect(second!.events).toEqual([1, 2]);
  });

  it('A hidden tab whose question was lost repeats it', async () => {
    const [, second] = await openTabs(2);
    await append();
    browser.isLost = () => true;
    await append();
    browser.isLost = from => from === second!.tab;
    await append();
    browser.isLost = () => false;
    await pass(1_100);
    expect(second!.events).toEqual([1, 2, 3]);
  });

  it('A tab that has lost more than the leader remembers reads the present state', async () => {
    const [leader, second] = await openTabs(2);
    await append(2);
    browser.isLost = () => true;
    await append(1_000);
    browser.isLost = () => false;
    await append(2);
    await append();
    expect([second!.types.at(-2), second!.reads]).toEqual(['sync.required', [0, 1_004]]);
    expect([second!.events, leader!.events.length]).toEqual([[1, 2, 1_005], 1_005]);
  });

  it('A tab that has not learned of the end of a younger leader follows the present one within two seconds', async () => {
    const [first, second] = await openTabs(2);
    await append(2);
    const { cursor } = second!.live;
    const channel = new (browser.openTab().BroadcastChannel!)('member-1');
    const answer = { after: cursor, present: [], missed: [], cursor, seen: [] };
    channel.postMessage({ from: 'gone', term: Date.now() + 60_000, count: 0, visible: true, answer });
    await pass(10);
    await append(2);
    await pass(2_000);
    await append();
    expect([second!.events, second!.reads]).toEqual([[1, 2, 3, 4, 5], [0]]);
    expect([first!.isLeader, log.handshakes]).toEqual([true, [null]]);
  });

  it('A tab that has lost `sync.required` receives it', async () => {
    log.replayLimit = 3;
    const [, second] = await openTabs(2);
    browser.isLost = () => true;
    log.refusal = 1006;
    log.cut();
    log.append(6);
    log.refusal = undefined;
    await pass(1_000);
    browser.isLost = () => false;
    await append();
    expect([countOf(second!, 'sync.required'), second!.known]).toEqual([1, new Set(numbers(1, 7))]);
  });
});
