import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { VisitorClient } from '@support-chat/sdk';
import { Outbox, type OutboxItem, type OutboxOptions } from '../../clients/widget/src/state/outbox.js';
import { eventually } from '../support/eventually.js';
import { memoryStorage } from '../support/memory-storage.js';
import { World } from '../support/world.js';

let world: World;
const opened: Outbox[] = [];
beforeAll(async () => {
  world = await World.start();
});
afterEach(() => opened.splice(0).forEach(outbox => outbox.stop()));
afterAll(() => world.stop());

let tail: Promise<unknown> = Promise.resolve();
/** One after the other, as a lock that the tabs of a browser share. */
function exclusive(work: () => Promise<void>): Promise<void> {
  const run = tail.then(work);
  tail = run.catch(() => undefined);
  return run;
}

function open(options: Partial<OutboxOptions> & Pick<OutboxOptions, 'send'>): Outbox {
  const defaults = {
    storage: memoryStorage(),
    prefix: 'outbox:',
    exclusive,
    changed() {},
    moved() {},
    random: () => 0,
  };
  const outbox = new Outbox({ ...defaults, ...options });
  opened.push(outbox);
  return outbox;
}

const emptied = (outbox: Outbox) => eventually(() => outbox.items.length === 0 || undefined);

let count = 0;
const item = (content: string, conversationId: string | null = null): OutboxItem => ({
  id: `id-${process.pid}-${count++}`,
  conversationId,
  content,
  attachments: [],
  createdAt: '2026-01-01T00:00:00.000000Z',
});
const failure = (status: number, code = 'x', retryAfter?: number) =>
  Object.assign(new Error(code), { status, code, retryAfter });

/** Sends by a real client; `before` may fail like a network. */
async function sender(before: (item: OutboxItem) => void = () => undefined) {
  const desk = await world.desk();
  const client = await VisitorClient.start({ baseUrl: world.app.url, widgetToken: desk.widgetToken });
  const send = async (each: OutboxItem) => {
    before(each);
    const message = { content: each.content, client_message_id: each.id };
    if (each.conversationId) return (await client.send(each.conversationId, message)).conversation_id;
    return (await client.startConversation(message)).conversation.id;
  };
  const contents = async () => {
    const { items } = await client.conversations();
    const all = await Promise.all(items.map(({ id }) => client.messages(id)));
    return all.map(page => page.items.filter(each => each.sender_type === 'contact').map(({ content }) => content));
  };
  return { desk, client, send, contents };
}

describe('The outbox', () => {
  it('Three first messages make one conversation, in their order', async () => {
    const { send, contents } = await sender();
    const moves: unknown[] = [];
    const outbox = open({ send, moved: (...move) => moves.push(move) });
    for (const text of ['one', 'two', 'three']) outbox.add(item(text));
    await emptied(outbox);
    expect(await contents()).toEqual([['one', 'two', 'three']]);
    expect(moves).toEqual([[null, expect.any(String)]]);
  });

  it('Messages that were written without a network are sent in order after a reload', async () => {
    let isOnline = false;
    const { send, contents } = await sender(() => {
      if (!isOnline) throw failure(0, 'network_error');
    });
    const storage = memoryStorage();
    const before = open({ send, storage });
    for (const text of ['one', 'two', 'three']) before.add(item(text));
    await before.drain();
    before.stop();
    expect(before.items).toHaveLength(3);
    isOnline = true;
    const after = open({ send, storage });
    await after.drain();
    expect(after.items).toEqual([]);
    expect(await contents()).toEqual([['one', 'two', 'three']]);
  });

  it('A message whose response was lost is there once', async () => {
    const { send, contents } = await sender();
    let losses = 2;
    const outbox = open({
      send: async each => {
        const id = await send(each);
        if (losses-- > 0) throw failure(0, 'network_error');
        return id;
      },
    });
    outbox.add(item('once'));
    await eventually(async () => {
      await outbox.drain();
      return outbox.items.length === 0 || undefined;
    });
    expect(await contents()).toEqual([['once']]);
  });

  it('Two tabs with one storage send each message once', async () => {
    const { send, contents } = await sender();
    const storage = memoryStorage();
    const tabs = [open({ send, storage }), open({ send, storage })];
    tabs[0]!.add(item('one'));
    tabs[1]!.add(item('two'));
    await Promise.all(tabs.map(tab => tab.drain()));
    await emptied(tabs[0]!);
    expect(await contents()).toEqual([['one', 'two']]);
  });

  it('Tabs that write at the same moment lose no message', async () => {
    const { send, contents } = await sender();
    const storage = memoryStorage();
    // what the other process has written is not visible yet
    const stale = { get: () => null, keys: () => [], set: storage.set };
    const offline = () => Promise.reject(failure(0, 'network_error'));
    open({ send: offline, storage }).add(item('one'));
    open({ send: offline, storage: stale }).add(item('two'));
    const later = open({ send, storage });
    await later.drain();
    await emptied(later);
    expect((await contents())[0]?.sort()).toEqual(['one', 'two']);
  });

  it('A message that waits for the answers to the form is kept over a reload, and sent with them', async () => {
    const storage = memoryStorage();
    const sent: OutboxItem[] = [];
    const send = (each: OutboxItem) => {
      sent.push(each);
      return Promise.resolve('c1');
    };
    const before = open({ send, storage });
    before.add({ ...item('waits'), needsAnswers: true });
    await before.drain();
    before.stop();
    const after = open({ send, storage });
    expect(sent).toEqual([]);
    after.answer(after.first[0]!.id, { name: 'Ada' });
    await emptied(after);
    expect(sent).toEqual([expect.objectContaining({ content: 'waits', preChat: { name: 'Ada' } })]);
  });

  it('A message to a conversation that was resolved too long ago moves the view and the messages behind it', async () => {
    const { desk, client, send, contents } = await sender();
    await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { reopen_window_hours: 0 });
    const { conversation } = await client.startConversation('old');
    await desk.owner.api.post(`/v1/conversations/${conversation.id}/resolve`);
    const moves: [string | null, string][] = [];
    const outbox = open({ send, moved: (...move) => moves.push(move) });
    outbox.add(item('new', conversation.id));
    outbox.add(item('newer', conversation.id));
    await emptied(outbox);
    expect(moves).toEqual([[conversation.id, expect.any(String)]]);
    expect(await contents()).toEqual([['new', 'newer'], ['old']]);
  });

  it('A message that the service refuses stays as failed, and does not stop the ones behind it', async () => {
    const { send, contents } = await sender();
    const outbox = open({ send });
    const long = item('x'.repeat(20_001));
    outbox.add(long);
    outbox.add(item('short'));
    await eventually(() => (outbox.items.length === 1 && outbox.items[0]?.failed) || undefined);
    expect(outbox.items).toEqual([expect.objectContaining({ id: long.id, failed: 'validation_failed' })]);
    expect(await contents()).toEqual([['short']]);
    outbox.delete(long.id);
    expect(outbox.items).toEqual([]);
  });

  it('A failed message is sent again when the visitor asks for it', async () => {
    let refusals = 1;
    const outbox = open({
      send: () => (refusals-- > 0 ? Promise.reject(failure(403, 'contact_blocked')) : Promise.resolve('c1')),
    });
    const message = item('again');
    outbox.add(message);
    expect(await eventually(() => outbox.items[0]?.failed)).toBe('contact_blocked');
    outbox.retry(message.id);
    await emptied(outbox);
  });

  it.each([
    ['a lost network', failure(0, 'network_error')],
    ['a service that is unavailable', failure(503, 'unavailable')],
    ['too many messages', failure(429, 'rate_limited')],
  ])('A message waits after %s, and is not failed', async (_cause, error) => {
    const outbox = open({ send: () => Promise.reject(error) });
    outbox.add(item('waits'));
    await outbox.drain();
    expect(outbox.items).toEqual([expect.not.objectContaining({ failed: expect.anything() })]);
  });

  it('A storage with nonsense counts as an empty outbox', () => {
    const storage = memoryStorage();
    storage.set('outbox:1:a', '{"a');
    storage.set('outbox:2:b', 'null');
    expect(open({ storage, send: () => Promise.resolve('c1') }).items).toEqual([]);
  });
});
