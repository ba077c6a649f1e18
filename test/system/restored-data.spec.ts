import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FaultyDatabase } from '../faults/database.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi, beginConversation, ResumingListener, openDesk } from '../support/outside.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';

jest.setTimeout(180_000);

/** Far longer than the event tail takes; a frame that is lost never arrives. */
const DELIVERED_MS = 15_000;

/** Two instances on one PostgreSQL without a bus. */
describe('A data directory restored from a snapshot', () => {
  let database: FaultyDatabase;
  let services: ServiceProcess[] = [];
  let urls: string[] = [];
  let desk: OutsideDesk;
  let conversation: { token: string; conversationId: string };
  const listeners: ResumingListener[] = [];
  const snapshots: string[] = [];
  let counter = 0;

  beforeAll(async () => {
    ensureBuilt();
    database = await FaultyDatabase.start();
    await startServices();
    desk = await openDesk(urls[0] ?? '');
    conversation = await beginConversation(urls[0] ?? '', desk);
  }, 240_000);
  afterAll(async () => {
    for (const listener of listeners) listener.close();
    await Promise.all(services.map(service => service.kill()));
    await database.stop();
    for (const folder of snapshots) rmSync(folder, { recursive: true, force: true });
  });

  async function startServices(): Promise<void> {
    services = [1, 2].map(() => ServiceProcess.start({ DATABASE_URL: database.url }));
    urls = await Promise.all(services.map(service => service.url(90_000)));
  }

  async function snapshot(): Promise<string> {
    const folder = await database.snapshot();
    snapshots.push(folder);
    await ready();
    return folder;
  }

  const ready = () =>
    eventually(async () => {
      const all = await Promise.all(urls.map(url => call('GET', `${url}/readyz`).catch(() => ({ status: 0 }))));
      return all.every(({ status }) => status === 200) || undefined;
    }, 60_000);

  /** Sends as the visitor through the first instance until accepted. @returns the content */
  async function send(): Promise<string> {
    const content = `message ${(counter += 1)}`;
    const path = `${urls[0]}/v1/widget/conversations/${conversation.conversationId}/messages`;
    const body = { content, client_message_id: `00000000-0000-4000-8000-${String(counter).padStart(12, '0')}` };
    await eventually(
      async () => (await call('POST', path, { token: conversation.token, body })).body?.ok || undefined,
      30_000,
    );
    return content;
  }

  async function sendMany(count: number): Promise<string[]> {
    const sent: string[] = [];
    while (sent.length < count) sent.push(await send());
    return sent;
  }

  /** Opens an agent's socket on each instance. */
  async function listen(): Promise<ResumingListener[]> {
    const opened = await Promise.all(urls.map(url => ResumingListener.agent(url, desk.token)));
    listeners.push(...opened);
    return opened;
  }

  const numberOf = (content: string) => Number(content.replace('message ', ''));

  const receivesAll = (listener: ResumingListener, contents: string[]) =>
    eventually(() => contents.every(content => listener.messages().includes(content)) || undefined, DELIVERED_MS);

  const cursorOf = (listener: ResumingListener) => String(listener.frames.findLast(({ cursor }) => cursor)?.cursor);

  /** Resumes from the cursor. Returns the first response and the contents replayed. */
  async function resume(after: string): Promise<{ answer: Json; replayed: string[] }> {
    const url = `${urls[1]?.replace('http', 'ws')}/ws/agent?token=${desk.token}&after=${after}`;
    const listener = await ResumingListener.open(url);
    listeners.push(listener);
    const answer = await listener.waitForFrame(({ type }) => type === 'resumed' || type === 'sync.required');
    return { answer, replayed: listener.messages() };
  }

  async function auditedAll(): Promise<void> {
    await eventually(async () => {
      const sql = `SELECT 1 FROM event WHERE type = 'channel.created' AND id NOT IN (SELECT id FROM audit_entry)`;
      return (await database.with(client => client.query(sql))).rowCount === 0 || undefined;
    }, 30_000);
  }

  it('After a restore under the running service, every open socket gets sync.required and then receives all new messages.', async () => {
    const before = await listen();
    const kept = await sendMany(3);
    for (const listener of before) await receivesAll(listener, kept);
    const keptCursor = cursorOf(before[1] as ResumingListener);
    const folder = await snapshot();
    const lost = await sendMany(30);
    for (const listener of before) await receivesAll(listener, lost);
    const lostCursors = before.map(cursorOf);
    await database.restoreSnapshot(folder);
    await ready();
    for (const listener of before) {
      const { data } = await listener.waitForFrame(({ type }) => type === 'sync.required', DELIVERED_MS);
      expect(data).toEqual({ reason: 'epoch' });
    }
    const sent = await sendMany(30);
    for (const listener of before) {
      await receivesAll(listener, sent);
      expect(listener.messages().filter(content => sent.includes(content))).toEqual(sent);
    }
    await Promise.all(
      services.map(service => service.waitForLog(/restored to an earlier state|replaced by another one/)),
    );
    for (const cursor of [...lostCursors, keptCursor]) {
      expect((await resume(cursor)).answer).toMatchObject({ type: 'sync.required', data: { reason: 'epoch' } });
    }
    const path = `${urls[0]}/v1/events?after=${lostCursors[0]}`;
    expect((await call('GET', path, { token: desk.key })).body.error.code).toBe('cursor_expired');
    await callApi('POST', `${urls[0]}/v1/channels`, desk.token, { name: 'After the restore', type: 'widget' });
    await auditedAll();
  });

  it('After a restore before a start, a cursor of lost events gets sync.required even once the log has grown past it, and an older cursor resumes.', async () => {
    const before = await listen();
    const kept = await send();
    for (const listener of before) await receivesAll(listener, [kept]);
    const keptCursor = cursorOf(before[0] as ResumingListener);
    const afterKept = await send();
    const folder = await snapshot();
    const reopened = await listen();
    const lost = await sendMany(10);
    for (const listener of reopened) await receivesAll(listener, lost);
    const lostCursors = reopened.map(cursorOf);
    for (const listener of [...before, ...reopened]) listener.close();
    await Promise.all(services.map(service => service.kill()));
    await database.restoreSnapshot(folder);
    await startServices();
    const present = await listen();
    const sent = await sendMany(40);
    // until then they are also delivered to sockets that resume
    for (const listener of present) await receivesAll(listener, sent);
    for (const listener of present) listener.close();
    for (const cursor of lostCursors) {
      const { answer, replayed } = await resume(cursor);
      expect(answer).toMatchObject({ type: 'sync.required', data: { reason: 'epoch' } });
      expect(replayed).toEqual([]);
    }
    const { answer, replayed } = await resume(keptCursor);
    expect(answer.type).toBe('resumed');
    // A resume may repeat what was delivered in the moments before its cursor.
    expect(replayed.filter(content => numberOf(content) > numberOf(kept))).toEqual([afterKept, ...sent]);
  });

  it('A PostgreSQL that is killed without losing data starts no new epoch.', async () => {
    const before = await listen();
    const sent = await sendMany(3);
    // After recovery, PostgreSQL reuses the ids of transactions that left nothing behind.
    await database.with(async client => {
      for (let times = 0; times < 5; times += 1) await client.query('BEGIN; SELECT pg_current_xact_id(); ROLLBACK');
    });
    for (const listener of before) await receivesAll(listener, sent);
    database.kill();
    await database.restart();
    await ready();
    const later = await sendMany(3);
    for (const listener of before) {
      await receivesAll(listener, later);
      expect(listener.frames.filter(({ type }) => type === 'sync.required')).toEqual([]);
      expect(listener.messages().filter(content => [...sent, ...later].includes(content))).toEqual([...sent, ...later]);
    }
  });
});
