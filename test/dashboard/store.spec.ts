import { beforeEach, describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { ME, StoreScene } from './store-scene.js';

const OPEN = { matches: ({ status }: { status: string }) => status === 'open' };
const byName = (name: string) => ({
  matches: ({ contact }: { contact: { name: string | null } }) => contact.name === name,
});

let scene: StoreScene;
beforeEach(() => {
  scene = new StoreScene();
});

describe('Responses and frames of a conversation', () => {
  it('A frame that arrives while a request is under way is applied on top of its older response.', () => {
    const { service, store } = scene;
    const id = scene.start();
    scene.read(id);
    const mark = store.mark();
    const older = service.get(id)!;
    service.assign(id, ME);
    scene.deliver();
    store.applyConversations([older], mark);
    expect(scene.shown(id)).toEqual(service.get(id));
    expect(scene.shown(id)).toMatchObject({ assignee_id: ME, version: 2, last_seq: 2 });
  });

  it('A frame that a response contains already changes nothing.', () => {
    const { service } = scene;
    const id = scene.start();
    scene.read(id);
    service.contactWrites(id, 'still there?');
    const frames = scene.frames();
    scene.read(id);
    scene.store.apply(...frames);
    expect(scene.shown(id)).toEqual(service.get(id));
    expect(scene.shown(id)!.unread).toEqual({ agents: 2, contact: 0 });
  });

  it('A conversation with a missing frame is read again.', () => {
    const { service } = scene;
    const id = scene.start();
    scene.read(id);
    service.contactWrites(id, 'first');
    service.contactWrites(id, 'second');
    scene.store.apply(...scene.frames().slice(1));
    expect(scene.neededIds()).toEqual([id]);
    scene.read(id);
    expect(scene.neededIds()).toEqual([]);
    expect(scene.shown(id)).toEqual(service.get(id));
  });

  it('A read mark never falls, and the unread messages after it are counted.', () => {
    const { service, store } = scene;
    const id = scene.start();
    scene.read(id);
    service.contactWrites(id, 'second');
    service.readBy(id, 'agents', 2);
    scene.deliver();
    expect(scene.shown(id)).toMatchObject({ agent_last_read_seq: 2, unread: { agents: 0 } });
    const late = { id: 'late', timestamp: service.now, conversation_id: id, channel_id: 'ch1' };
    store.apply({ ...late, type: 'conversation.read', data: { id, reader: 'agents', last_read_seq: 1 } });
    expect(scene.shown(id)).toMatchObject({ agent_last_read_seq: 2, unread: { agents: 0 } });
  });

  it('A response older than the last known version never replaces it.', () => {
    const { service, store } = scene;
    const id = scene.start();
    scene.read(id);
    const mark = store.mark();
    const older = service.get(id)!;
    service.update(id, { priority: 'high' });
    store.applyConversations([service.get(id)!], store.mark());
    store.applyConversations([older], mark);
    expect(scene.shown(id)!.priority).toBe('high');
  });

  it('A renamed tag has its new name in every conversation at once.', () => {
    const { service } = scene;
    const id = scene.start();
    service.update(id, { tags: ['vip', 'late'] });
    scene.read(id);
    service.pass(1);
    service.renameTag('vip', 'gold');
    scene.deliver();
    expect(scene.shown(id)!.tags).toEqual(['gold', 'late']);
  });
});

describe('Lists of conversations', () => {
  it('A conversation that begins to match is inserted where the service lists it.', () => {
    const { service } = scene;
    const [first, second, third] = [scene.start(), scene.start(), scene.start()];
    service.resolve(second);
    const list = scene.openList({ status: 'open' }, OPEN);
    scene.frames();
    expect(list.ids.peek()).toEqual([third, first]);
    service.pass(1_000);
    service.contactWrites(first, 'again');
    scene.deliver();
    expect(list.ids.peek()).toEqual([first, third]);
  });

  it('A match below the last row of the pages that were read waits for its page.', () => {
    const { service, store } = scene;
    const [first, second, third] = [scene.start(), scene.start(), scene.start()];
    const list = scene.openList({}, {}, 2);
    expect(list.ids.peek()).toEqual([third, second]);
    expect(list.hasMore.peek()).toBe(true);
    scene.read(first);
    expect(list.ids.peek()).toEqual([third, second]);
    const mark = store.mark();
    const cursor = list.next!;
    const page = { items: [service.get(first)!], next_cursor: null };
    store.applyList(list, page, { cursor, mark });
    expect(list.ids.peek()).toEqual([third, second, first]);
    expect(list.hasMore.peek()).toBe(false);
  });

  it('An unknown conversation is read only if its frame may bring it into a list.', () => {
    const { service, store } = scene;
    const [first, second] = [scene.start(), scene.start()];
    scene.frames();
    store.list({ assignee: ['me'] });
    service.assign(first, 'm2');
    service.assign(second, ME);
    scene.deliver();
    expect(scene.neededIds()).toEqual([second]);
  });

  it('A list that only the service can judge is requested again when a frame may change it.', () => {
    const { service, store } = scene;
    const id = scene.start();
    const list = scene.openList({ query: 'Ann' }, byName('Ann'));
    scene.frames();
    expect(store.needs.lists.peek().has(list)).toBe(false);
    service.contactWrites(id, 'more');
    scene.deliver();
    expect(store.needs.lists.peek().has(list)).toBe(true);
  });

  it('A page that is wanted while the list is read again from its beginning is read afterwards.', () => {
    const { service, store } = scene;
    for (const name of ['Ann', 'Bert', 'Carl', 'Dora']) scene.start(name);
    const list = scene.openList({ status: 'open' }, OPEN, 2);
    const read = () => {
      const { next } = list;
      const mark = store.mark();
      const byId = { ...OPEN, keyOf: ({ id }: { id: string }) => id, descending: true };
      store.applyList(list, service.list(byId, next ?? undefined, 2), { cursor: next ?? undefined, mark });
    };
    store.apply({ type: 'sync.required', data: { reason: 'too_many' } });
    store.requireMore(list);
    read();
    expect([list.ids.peek().length, list.isNeeded]).toEqual([2, true]);
    read();
    expect([list.ids.peek().length, list.isNeeded]).toEqual([4, false]);
    store.requireMore(list);
    expect([list.hasMore.peek(), list.isNeeded]).toEqual([false, false]);
  });

  it('Filters that mean the same share one list.', () => {
    const { store } = scene;
    expect(store.list({ status: ['open', 'pending'] })).toBe(store.list({ status: ['pending', 'open'] }));
    expect(store.list({ status: 'open' })).not.toBe(store.list({ status: 'open', order: 'asc' }));
  });
});

describe('Unconfirmed actions', () => {
  it('A row leaves its list at once by the action of the member, and comes back if that fails.', () => {
    const id = scene.start();
    const list = scene.openList({ status: 'open' }, OPEN);
    const overlay = scene.store.overlay(id, { status: 'resolved' });
    expect(list.ids.peek()).toEqual([]);
    overlay.undo();
    expect(list.ids.peek()).toEqual([id]);
    expect(scene.shown(id)!.status).toBe('open');
  });

  it('An action is shown until its version arrives, whichever of frame and response is first.', () => {
    const { service, store } = scene;
    const id = scene.start();
    scene.read(id);
    const overlay = store.overlay(id, ({ tags }) => ({ tags: [...tags, 'vip'] }));
    service.update(id, { tags: ['vip'] });
    overlay.settle(service.get(id)!.version);
    expect(scene.shown(id)!.tags).toEqual(['vip']);
    scene.deliver();
    expect(scene.shown(id)).toEqual(service.get(id));
  });

  it('Two actions are shown in their order, and the first can fail alone.', () => {
    const { store } = scene;
    const id = scene.start();
    scene.read(id);
    const first = store.overlay(id, { priority: 'high', assignee_id: ME });
    store.overlay(id, { priority: 'urgent' });
    expect(scene.shown(id)).toMatchObject({ priority: 'urgent', assignee_id: ME });
    first.undo();
    expect(scene.shown(id)).toMatchObject({ priority: 'urgent', assignee_id: null });
  });
});

describe('Messages', () => {
  it('A sent message replaces the pending one once, whichever of frame and response is first.', () => {
    const { service, store } = scene;
    const id = scene.start();
    scene.read(id);
    scene.readThread(id);
    for (const order of ['frame', 'response']) {
      scene.write(id, order);
      expect(scene.pendingIds(id)).toEqual([order]);
      const message = service.agentWrites(id, ME, order, order);
      if (order === 'frame') scene.deliver();
      store.applyMessage(message);
      scene.deliver();
      expect(scene.pendingIds(id)).toEqual([]);
    }
    expect(scene.texts(id)).toEqual(['hello', 'frame', 'response']);
    expect(scene.shown(id)).toEqual(service.get(id));
  });

  it('A failed message stays with its error until it is sent again or removed.', () => {
    const { store, service } = scene;
    const id = scene.start();
    scene.read(id);
    scene.write(id, 'one', 'offline');
    service.contactWrites(id, 'hello?');
    scene.deliver();
    expect(store.pending.of(id).peek()).toMatchObject([{ error: 'offline' }]);
    scene.write(id, 'one');
    expect(store.pending.of(id).peek()).toMatchObject([{ error: undefined }]);
    store.pending.remove(id, 'one');
    expect(scene.pendingIds(id)).toEqual([]);
  });

  it('An unsent message never gets its text back from a late edit.', () => {
    const { service, store } = scene;
    const id = scene.start();
    scene.read(id);
    scene.readThread(id);
    service.edit(id, 1, 'hello!');
    const [edit] = scene.frames();
    service.pass(1_000);
    service.unsend(id, 1);
    scene.deliver();
    store.apply(edit!);
    expect(scene.messages(id)).toMatchObject([{ content: null, deleted_at: service.now }]);
  });

  it('A missing message is requested after the last known one before it.', () => {
    const { service, store } = scene;
    const id = scene.start();
    scene.read(id);
    scene.readThread(id);
    service.contactWrites(id, 'missed');
    service.contactWrites(id, 'heard');
    store.apply(...scene.frames().slice(1));
    const range = store.needs.threads.peek().get(id)!;
    expect(range).toMatchObject({ after_seq: 1 });
    store.applyMessages(id, service.read(id, range)!, range, store.mark());
    expect(scene.texts(id)).toEqual(['hello', 'missed', 'heard']);
    expect(store.needs.threads.peek().size).toBe(0);
  });

  it('A thread that is left keeps its newest messages, and an edit of an older one makes no gap.', () => {
    const { service, store } = scene;
    const [long, other] = [scene.start(), scene.start()];
    scene.read(long, other);
    scene.readThread(long);
    for (let count = 0; count < 250; count += 1) service.contactWrites(long, `line ${count}`);
    scene.deliver();
    expect(scene.messages(long)).toHaveLength(251);
    scene.readThread(other);
    const thread = store.thread(long);
    expect([scene.messages(long)[0]?.seq, thread.hasOlder.peek(), thread.olderRange().before_seq]).toEqual([
      202,
      true,
      202,
    ]);
    service.edit(long, 7, 'line 5, mended');
    scene.deliver();
    expect([scene.messages(long)[0]?.seq, store.needs.threads.peek().size]).toEqual([202, 0]);
    const range = { before_seq: 202, limit: 300 };
    store.applyMessages(long, service.read(long, range)!, range, store.mark());
    expect(scene.messages(long)).toEqual(service.allMessages(long));
    expect(thread.hasOlder.peek()).toBe(false);
  });

  it('The messages of a thread that was not opened for long are freed, and requested when it is opened again.', () => {
    const { store } = scene;
    const ids = Array.from({ length: 65 }, () => scene.start());
    scene.read(...ids);
    for (const id of ids) scene.readThread(id);
    expect(scene.messages(ids[64]!)).toHaveLength(1);
    store.watch(undefined);
    expect(scene.messages(ids[63]!)).toHaveLength(1);
    expect(store.needs.threads.peek().has(ids[0]!)).toBe(false);
    store.thread(ids[0]!);
    expect(scene.messages(ids[0]!)).toEqual([]);
    store.applyMessages(ids[63]!, { items: [], next_cursor: null }, { after_seq: 1 }, store.mark());
    expect([...store.needs.threads.peek().keys()]).toEqual([ids[0]!]);
  });
});

describe('An erased contact', () => {
  it('Nothing of an erased person stays, and late responses and frames bring nothing back.', () => {
    const { service, store } = scene;
    const id = scene.start();
    const list = scene.openList({});
    scene.readThread(id);
    scene.write(id, 'one');
    const mark = store.mark();
    const view = service.get(id)!;
    const page = service.read(id, {})!;
    service.contactWrites(id, 'my secret');
    const late = scene.frames();
    expect(inspect(store, { depth: Infinity })).toMatch(/hello/);
    service.erase(view.contact_id);
    scene.deliver();
    store.apply(...late);
    store.applyConversations([view], mark);
    store.applyMessages(id, page, {}, mark);
    expect([list.ids.peek(), scene.messages(id), scene.pendingIds(id)]).toEqual([[], [], []]);
    expect(store.isGone(id)).toBe(true);
    expect(scene.shown(id)).toBeUndefined();
    expect(inspect(store, { depth: Infinity, maxStringLength: Infinity })).not.toMatch(/secret|hello|Ann/);
  });

  it('A person is also erased if its contact was merged into the erased one, in either order.', () => {
    const { service, store } = scene;
    const [first, second] = [scene.start('Ann'), scene.start('Anna')];
    scene.read(first, second);
    const [from, into] = [first, second].map(id => service.get(id)!.contact_id);
    service.merge(from!, into!);
    const merged = scene.frames();
    service.erase(into!);
    scene.deliver();
    expect(scene.shown(first)).toBeDefined();
    store.apply(...merged);
    expect([scene.shown(first), scene.shown(second)]).toEqual([undefined, undefined]);
  });
});

describe('A conversation of a changed contact', () => {
  it('All conversations of a contact show its new name.', () => {
    const { service } = scene;
    const id = scene.start('Ann');
    scene.read(id);
    service.pass(1);
    service.updateContact(service.get(id)!.contact_id, 'Annabel');
    scene.deliver();
    expect(scene.shown(id)!.contact.name).toBe('Annabel');
  });

  it('A conversation that moves to an unknown contact is read again.', () => {
    const { service } = scene;
    const [first, second] = [scene.start('Ann'), scene.start('Anna')];
    scene.read(first);
    service.merge(service.get(first)!.contact_id, service.get(second)!.contact_id);
    scene.deliver();
    expect(scene.neededIds()).toEqual([first]);
    scene.read(first);
    expect(scene.shown(first)).toEqual(service.get(first));
  });
});

describe('After `sync.required`', () => {
  it('Rows stay shown until their list is read again, and then those that are gone leave.', () => {
    const { service, store } = scene;
    const [gone, left] = [scene.start('Ann'), scene.start('Bert')];
    const list = scene.openList({ status: 'open' }, OPEN);
    service.erase(service.get(gone)!.contact_id);
    service.assign(left, ME);
    scene.frames();
    const early = store.mark();
    store.apply({ type: 'sync.required', data: { reason: 'too_many' } });
    expect(list.ids.peek()).toEqual([left, gone]);
    expect([...store.needs.lists.peek()]).toEqual([list]);
    const page = service.list({ ...OPEN, keyOf: ({ id }) => id, descending: true }, undefined, 50);
    store.applyList(list, page, { cursor: undefined, mark: early });
    expect([...store.needs.lists.peek()]).toEqual([list]);
    store.applyList(list, page, { cursor: undefined, mark: store.mark() });
    expect(list.ids.peek()).toEqual([left]);
    expect(scene.shown(left)!.assignee_id).toBe(ME);
    expect(scene.shown(gone)).toBeUndefined();
  });

  it('The open thread is read again from what can have changed; other threads are freed.', () => {
    const { service, store } = scene;
    const [open, other] = [scene.start(), scene.start()];
    scene.read(open, other);
    scene.readThread(other);
    service.pass(3_600_000);
    service.contactWrites(open, 'an hour later');
    scene.deliver();
    scene.readThread(open);
    store.apply({ type: 'sync.required', data: { reason: 'too_many' } });
    expect(scene.texts(open)).toEqual(['hello', 'an hour later']);
    expect(store.needs.threads.peek().get(open)).toMatchObject({ after_seq: 1 });
    expect(scene.neededIds()).toEqual([open]);
    expect(scene.messages(other)).toEqual([]);
  });

  it('After a restore the open thread is read anew, because messages reuse their numbers.', () => {
    const { store } = scene;
    const id = scene.start();
    scene.read(id);
    scene.readThread(id);
    store.apply({ type: 'sync.required', data: { reason: 'epoch' } });
    expect(scene.messages(id)).toEqual([]);
    expect(store.needs.threads.peek().get(id)).toEqual({ limit: 50 });
  });
});

describe('A snapshot', () => {
  it('A reloaded page shows the list and the messages at once, and reads all of it again.', () => {
    const { service } = scene;
    const [gone, known] = [scene.start('Ann'), scene.start('Bert')];
    for (const id of [gone, known]) scene.readThread(id);
    const ids = [known, gone];
    const before = scene.openList({ status: 'open' }, OPEN);
    service.edit(known, 1, 'hello again');
    service.assign(known, ME);
    service.erase(service.get(gone)!.contact_id);
    scene.reload(before);
    const { store } = scene;
    const list = store.list({ status: 'open' });
    expect([list.isRead.peek(), list.ids.peek(), list.isNeeded]).toEqual([true, ids, true]);
    expect(scene.shown(known)!.assignee_id).toBeNull();
    store.watch(known);
    expect([store.thread(known).isRead.peek(), scene.texts(known)]).toEqual([true, ['hello']]);
    expect(store.needs.threads.peek()).toEqual(new Map([[known, { limit: 50 }]]));

    scene.openList({ status: 'open' }, OPEN);
    expect([list.ids.peek(), list.isNeeded]).toEqual([[known], false]);
    expect(scene.shown(known)).toEqual(service.get(known));
    scene.readThread(known);
    expect(scene.messages(known)).toEqual(service.allMessages(known));
    expect(store.needs.threads.peek().size).toBe(0);
    expect([scene.shown(gone), scene.messages(gone)]).toEqual([undefined, []]);
  });

  it('Unread messages are not counted by the messages of a snapshot.', () => {
    const { service } = scene;
    const id = scene.start();
    service.contactWrites(id, 'second');
    scene.readThread(id);
    const list = scene.openList({ status: 'open' }, OPEN);
    service.unsend(id, 2);
    scene.reload(list);
    service.readBy(id, 'agents', 1);
    scene.deliver();
    expect(scene.neededIds()).toEqual([id]);
  });

  it('A message that arrives before the others were read stays in its place.', () => {
    const { service } = scene;
    const id = scene.start();
    scene.readThread(id);
    scene.reload(scene.openList({ status: 'open' }, OPEN));
    const mark = scene.store.mark();
    const page = service.read(id, { limit: 50 })!;
    scene.store.thread(id);
    service.contactWrites(id, 'second');
    scene.deliver();
    expect(scene.texts(id)).toEqual(['hello', 'second']);
    scene.store.applyMessages(id, page, { limit: 50 }, mark);
    expect(scene.texts(id)).toEqual(['hello', 'second']);
  });

  it('What the service has not confirmed is in no snapshot, nor what has to be read again.', () => {
    const { store } = scene;
    const [id, other] = [scene.start(), scene.start()];
    const list = scene.openList({}, {});
    for (const each of [id, other]) scene.readThread(each);
    store.overlay(id, { priority: 'urgent' });
    const { conversations, threads } = store.snapshot(list);
    expect(conversations.map(({ priority }) => priority)).toEqual(['none', 'none']);
    expect(threads.map(({ conversationId }) => conversationId)).toEqual([id, other]);
    store.apply({ type: 'sync.required', data: { reason: 'too_many' } });
    expect(store.snapshot(list)).toEqual({ conversations: [], list: undefined, threads: [] });
  });
});
