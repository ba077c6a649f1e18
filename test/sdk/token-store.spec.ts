import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AgentClient,
  MemoryTokenStore,
  PageTokenStore,
  type AgentTokens,
  type TokenStore,
} from '../../clients/sdk/src/index.js';
import { eventually } from '../support/eventually.js';
import { PASSWORD, World, type Desk } from '../support/world.js';
import { FakeLocks } from './fake-locks.js';
import { FakePage } from './fake-page.js';

const MINUTE = 60;

let world: World;
let desk: Desk;
let refreshes: number;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.app.clock.reset();
  refreshes = 0;
  desk = await world.register();
});

type OnTokens = (tokens: AgentTokens | null) => void;

/** An agent client of the real service that counts refreshes. */
function clientOf(tokenStore: TokenStore, onTokens?: OnTokens): AgentClient {
  const countingFetch = (url: string | URL | Request, init?: RequestInit) => {
    if (String(url).endsWith('/auth/refresh')) refreshes += 1;
    return fetch(url, init);
  };
  return new AgentClient({ baseUrl: world.app.url, fetch: countingFetch, tokenStore, onTokens });
}

const login = (client: AgentClient) => client.login({ email: desk.owner.email, password: PASSWORD });

/** A store whose clients notice nothing until they refresh, like a tab that was frozen. */
class UnwatchedStore extends MemoryTokenStore {
  override watch(): () => void {
    return () => undefined;
  }
}

describe('Two agent clients on one token store, with the real service', () => {
  let store: MemoryTokenStore;
  let first: AgentClient;
  let second: AgentClient;
  beforeEach(async () => {
    store = new UnwatchedStore();
    first = clientOf(store);
    await login(first);
    second = clientOf(store);
  });

  it('A second client is logged in by the tokens of the store', async () => {
    expect((await second.me()).member.id).toBe(desk.owner.memberId);
    expect(second.tokens).toEqual(first.tokens);
  });

  it('A session has the same id for all clients and after each refresh, and another login has another one', async () => {
    const { sessionId } = first;
    expect([sessionId, second.sessionId]).toEqual([expect.any(String), sessionId]);
    world.app.clock.advance(16 * MINUTE);
    await first.me();
    expect([refreshes, first.sessionId]).toEqual([1, sessionId]);
    await first.logout();
    expect(first.sessionId).toBeUndefined();
    await login(first);
    expect([undefined, sessionId]).not.toContain(first.sessionId);
  });

  it('Clients whose token expires at the same time refresh once, and both stay logged in', async () => {
    for (let round = 1; round <= 3; round++) {
      world.app.clock.advance(16 * MINUTE);
      await Promise.all([first, second, first, second].map(client => client.me()));
      expect(refreshes).toBe(round);
      expect(second.tokens).toEqual(first.tokens);
    }
  });

  it('A client that slept through a refresh adopts the newer tokens, and every client stays logged in', async () => {
    world.app.clock.advance(16 * MINUTE);
    await first.me();
    // From here on the refresh token of the second client would end the session of both.
    world.app.clock.advance(MINUTE);
    await second.me();
    expect([refreshes, second.tokens]).toEqual([1, first.tokens]);
    world.app.clock.advance(16 * MINUTE);
    await second.me();
    await first.me();
    expect(refreshes).toBe(2);
  });

  it('A client that adopts tokens which have expired too refreshes them', async () => {
    world.app.clock.advance(-60 * MINUTE);
    await login(first);
    const slept = clientOf(store);
    world.app.clock.advance(16 * MINUTE);
    await first.me();
    world.app.clock.reset();
    await slept.me();
    expect([refreshes, store.read()]).toEqual([2, slept.tokens]);
  });

  it('A socket that slept through a refresh reconnects with the newer tokens', async () => {
    world.app.clock.advance(16 * MINUTE);
    await first.me();
    world.app.clock.advance(MINUTE);
    const socket = await second.connect();
    socket.close();
    await first.me();
    expect(refreshes).toBe(1);
  });

  it('A logout ends the other client at its next refresh, without a call of the service', async () => {
    await first.logout();
    await expect(second.refresh()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
    expect([refreshes, second.tokens, store.read()]).toEqual([0, undefined, null]);
  });

  it('A narrowed client does not replace the tokens of the store', async () => {
    const narrow = await first.narrow({ channelIds: [desk.channelId] });
    world.app.clock.advance(16 * MINUTE);
    await narrow.me();
    await first.me();
    expect(store.read()).toEqual(first.tokens);
    expect(first.tokens).not.toEqual(narrow.tokens);
  });
});

describe('Agent clients that watch one token store', () => {
  it('A logout of one client ends the other at once', async () => {
    const store = new MemoryTokenStore();
    const seen: (AgentTokens | null)[] = [];
    const first = clientOf(store);
    await login(first);
    const second = clientOf(store, tokens => seen.push(tokens));
    await first.logout();
    expect([seen, second.tokens]).toEqual([[null], undefined]);
  });

  it('A client follows a new login of its member, but not one of another member', async () => {
    const store = new MemoryTokenStore();
    const seen: (AgentTokens | null)[] = [];
    const first = clientOf(store);
    await login(first);
    const second = clientOf(store, tokens => seen.push(tokens));
    await login(first);
    expect(second.tokens).toEqual(first.tokens);
    const colleague = await world.hire(desk);
    const third = clientOf(store);
    await third.login({ email: colleague.email, password: PASSWORD });
    expect([second.tokens, third.tokens]).toEqual([undefined, store.read()]);
    expect(seen.map(tokens => tokens !== null)).toEqual([true, false]);
    await second.logout();
    expect(store.read()).toEqual(third.tokens);
  });
});

describe('The token store of a page', () => {
  const KEY = 'support-chat:agent';
  let page: FakePage;
  let items: Map<string, string>;
  let locks: FakeLocks;
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };

  beforeEach(() => {
    items = new Map();
    locks = new FakeLocks();
    page = new FakePage({ localStorage: storage, navigator: { locks: locks.ofTab({}) } });
  });
  afterEach(() => page.remove());

  /** Two tabs: two stores on one storage and one lock. */
  const tabs = () => [clientOf(new PageTokenStore()), clientOf(new PageTokenStore())] as const;

  it('Tabs whose token expires at the same time refresh once, under a Web Lock, and stay logged in', async () => {
    await login(clientOf(new PageTokenStore()));
    const [first, second] = tabs();
    world.app.clock.advance(16 * MINUTE);
    await Promise.all([first.me(), second.me()]);
    world.app.clock.advance(16 * MINUTE);
    await Promise.all([second.me(), first.me()]);
    expect([refreshes, first.tokens]).toEqual([2, second.tokens]);
    expect(JSON.parse(items.get(KEY)!)).toEqual(first.tokens);
  });

  it('A tab learns of the logout in another tab by the storage event, or when it leaves the back-forward cache', async () => {
    await login(clientOf(new PageTokenStore()));
    const [first, second] = tabs();
    const third = clientOf(new PageTokenStore());
    await first.logout();
    expect(items.has(KEY)).toBe(false);
    expect(second.tokens).toBeDefined();
    page.dispatch('storage', { key: 'other' });
    expect(second.tokens).toBeDefined();
    page.dispatch('storage', { key: KEY });
    expect(second.tokens).toBeUndefined();
    await login(first);
    page.dispatch('pageshow', { persisted: true });
    expect(third.tokens).toEqual(first.tokens);
  });

  it('A tab that ends during a refresh releases the lock for the next one', async () => {
    const tab = {};
    const frozen = locks.ofTab(tab).request(KEY, {}, () => new Promise(() => undefined));
    await login(clientOf(new PageTokenStore()));
    const [first] = tabs();
    const refreshed = first.refresh();
    await eventually(() => (locks.ownerOf(KEY) === tab ? true : undefined));
    locks.endTab(tab);
    await refreshed;
    expect(refreshes).toBe(1);
    void frozen;
  });

  it('A tab replaces the stored tokens in one change, so that no other tab finds none in between', () => {
    const store = new PageTokenStore();
    store.write({ token: 'a', refresh_token: 'b' });
    const changes: string[] = [];
    const { setItem, removeItem } = storage;
    const watched = {
      ...storage,
      setItem: (key: string, value: string) => (changes.push('set'), setItem(key, value)),
      removeItem: (key: string) => (changes.push('remove'), removeItem(key)),
    };
    page.remove();
    page = new FakePage({ localStorage: watched });
    store.write({ token: 'c', refresh_token: 'd' });
    expect([changes, store.read()]).toEqual([['set'], { token: 'c', refresh_token: 'd' }]);
    store.write(null);
    expect([changes, store.read()]).toEqual([['set', 'remove'], null]);
  });

  it('A tab whose new tokens do not fit into the storage keeps them, and no other tab finds the old ones', () => {
    const [first, second] = [new PageTokenStore(), new PageTokenStore()];
    first.write({ token: 'a', refresh_token: 'b' });
    page.remove();
    const full = () => {
      throw new Error('QuotaExceededError');
    };
    page = new FakePage({ localStorage: { ...storage, setItem: full } });
    first.write({ token: 'c', refresh_token: 'd' });
    expect([first.read(), second.read()]).toEqual([{ token: 'c', refresh_token: 'd' }, null]);
  });

  it('A page without storage, and Node, keep the tokens in memory', async () => {
    storage.setItem = () => {
      throw new Error('QuotaExceededError');
    };
    const client = clientOf(new PageTokenStore());
    await login(client);
    world.app.clock.advance(16 * MINUTE);
    await client.me();
    expect([refreshes, items.size]).toEqual([1, 0]);
    page.remove();
    const inNode = clientOf(new PageTokenStore());
    await login(inNode);
    world.app.clock.advance(16 * MINUTE);
    await inNode.me();
    expect(refreshes).toBe(2);
  });

  it('A store with text that is no pair of tokens is an empty store', () => {
    for (const text of ['', '{', '[]', '{"token":1}']) {
      items.set(KEY, text);
      expect(new PageTokenStore().read()).toBeNull();
    }
  });
});
