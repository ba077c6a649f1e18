import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConversationCountsRepairService } from '../../src/modules/conversations/index.js';
import { MessagesRepository } from '../../src/modules/messages/messages.repository.js';
import { ErasureJob } from '../../src/platform/erasure/erasure.job.js';
import { BotServer, routeToBot } from '../support/bot-server.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import type { Answer } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import type { TestSocket } from '../support/socket.js';
import { LOCAL_WEBHOOKS, WebhookReceiver } from '../support/webhook-receiver.js';
import type { Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

const CLOSE_TIMEOUT_MS = 5_000;

let database: TestDatabase;
const RATED_AT = '2026-01-31T09:30:00.123000Z';
let world: World;
beforeAll(async () => {
  world = await World.start(LOCAL_WEBHOOKS, { alone: true });
  database = world.app.database;
});
afterAll(async () => {
  await world.stop();
});

let desk: Desk;
let visitor: Visitor;
/** Unique word that occurs in all data and messages of the contact, and nowhere else. */
let word: string;
let externalId: string;
beforeEach(async () => {
  desk = await world.desk();
  word = unique('Zaphod').replaceAll('-', '');
  externalId = `user ${word}`;
  visitor = await createPerson(word);
});

/** Creates a contact that has the word in each of its fields. */
function createPerson(word: string): Promise<Visitor> {
  return world.visitor(desk, {
    external_id: `user ${word}`,
    name: `Mr ${word}`,
    email: `${word}@example.com`,
    phone: `+1 ${word}`,
    custom_attributes: { [`key ${word}`]: word },
  });
}

const path = (id = visitor.contactId, action = '') => `/v1/contacts/${id}${action}`;
const erase = (by = desk.owner.api, id = visitor.contactId) => by.delete(path(id));
const outcome = ({ status, error }: Answer<Json>) => [status, error?.code];

/** Waits until every erasure is complete. */
const waitForErasure = () =>
  eventually(async () => (await database.query('SELECT FROM erasure')).length === 0 || undefined, 20_000);

/** Returns every row of every table that contains one of the words, in any case. */
async function findTraces(...words: string[]): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['contact', 'message', 'event', 'kept_answer']),
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ text: string }>(
      `SELECT to_jsonb(whole)::text AS text FROM ${name} whole WHERE to_jsonb(whole)::text ILIKE ANY ($1)`,
      [words.map(each => `%${each}%`)],
    );
    found.push(...rows.map(({ text }) => `${name}: ${text}`));
  }
  return found;
}

/** Creates a conversation with the word in every text field, those of its start, its messages and its rating. */
async function createConversation(): Promise<string> {
  const fields = [{ key: 'about', label: 'About', type: 'text', required: true }];
  const widget_config = { pre_chat_form: { enabled: true, fields } };
  await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { widget_config });
  const started = await visitor.api.post('/v1/widget/conversations', {
    message: { content: `I am ${word}` },
    pre_chat: { about: `All about ${word}` },
    page: { url: `https://example.com/${word}`, title: word, referrer: `https://${word}.example.com/` },
  });
  const { id } = started.data.conversation as Json;
  const send = (content: string, more: object = {}) =>
    desk.owner.api.post(`/v1/conversations/${id}/messages`, { content, ...more });
  await send(`Hello ${word}`, { metadata: { about: word } });
  await send(`A note about ${word}`, { private: true });
  const { data } = await send(`Dear ${word}`);
  await desk.owner.api.patch(`/v1/conversations/${id}/messages/${data.id}`, { content: `Dearest ${word}` });
  await visitor.api.post(`/v1/widget/conversations/${id}/messages`, {
    content: `Thanks! ${word}`,
    client_message_id: `mine ${word}`,
    metadata: { [word]: word, order: word },
  });
  await desk.owner.api.patch(`/v1/conversations/${id}`, {
    subject: `On ${word}`,
    custom_attributes: { about: word },
  });
  await desk.owner.api.patch(path(), { avatar_url: `https://example.com/${word}.png` });
  await database.query(`UPDATE conversation SET csat = $2 WHERE id = $1`, [
    id,
    { score: 5, comment: `So good, ${word}`, rated_at: RATED_AT },
  ]);
  return id as string;
}

describe('Erasing a contact', () => {
  it('Erasing a contact removes its data and messages from every table and keeps empty conversations', async () => {
    const id = await createConversation();
    const last = { last_seq: 5, unread: { agents: 0, contact: 0 } };
    expect((await findTraces(word)).length).toBeGreaterThan(10);
    expect((await erase()).data).toEqual({ id: visitor.contactId, deleted: true });
    await waitForErasure();
    expect(await findTraces(word)).toEqual([]);
    const conversation = (await desk.owner.api.get(`/v1/conversations/${id}`)).data;
    expect(conversation).toMatchObject({
      status: 'resolved',
      subject: null,
      custom_attributes: {},
      context: null,
      pre_chat: null,
      csat: { score: 5, comment: null, rated_at: RATED_AT },
      last_seq: last.last_seq + 1,
      unread: last.unread,
      contact: { id: visitor.contactId, name: null, email: null },
    });
    const { items } = (await desk.owner.api.get(`/v1/conversations/${id}/messages`)).data;
    expect((items as Json[]).map(({ seq, content }) => [seq, content])).toEqual(
      Array.from({ length: 6 }, (_nothing, index) => [index + 1, null]),
    );
    expect(await world.app.app.get(ConversationCountsRepairService).repair()).toBe(0);
  });

  it('Erasing a contact leaves none of its words in deliveries to webhooks and bots, and none is sent afterwards', async () => {
    const [endpoint, bots] = [await WebhookReceiver.start(), await BotServer.start()];
    endpoint.respond = (_delivery, response) => void response.writeHead(503).end();
    const key = await world.apiKey(desk);
    const draft = { url: endpoint.url, events: ['*'], include_private: true };
    const webhook = (await key.post('/v1/webhooks', draft)).data as Json;
    endpoint.secrets.push(webhook.secret as string);
    bots.answerWith(`I heard of ${word}`);
    await routeToBot(world, desk, bots, { history_count: 5 });
    const { conversation } = (
      await visitor.api.post('/v1/widget/conversations', { message: { content: `I am ${word}` } })
    ).data as Json;
    const sent = await bots.next('message.created', conversation.id as string);
    expect(sent.text).toContain(word);
    await endpoint.find(({ text }) => text.includes(`I heard of ${word}`));
    expect((await findTraces(word)).some(trace => trace.startsWith('webhook_event'))).toBe(true);

    await erase();
    await waitForErasure();
    expect(await findTraces(word)).toEqual([]);
    const before = [endpoint, bots.receiver].map(({ received }) => received.length);
    const pending = await key.get(`/v1/webhooks/${webhook.id}/deliveries?status=pending&limit=100`);
    for (const { id } of (pending.data as Json).items as Json[])
      await key.post(`/v1/webhooks/${webhook.id}/deliveries/${id}/retry`);
    await endpoint.find(({ body }) => body.type === 'contact.deleted');
    await endpoint.until((before[0] ?? 0) + 3);
    const late = [endpoint, bots.receiver].flatMap(({ received }, index) => received.slice(before[index]));
    expect(late.filter(({ text }) => text.includes(word))).toEqual([]);
    await Promise.all([endpoint.stop(), bots.receiver.stop()]);
  });

  it('Erasing a contact also erases the contacts merged into it', async () => {
    const other = unique('Trillian').replaceAll('-', '');
    const merged = await createPerson(other);
    await world.conversation(merged, `I am ${other} too`);
    await createConversation();
    await desk.owner.api.post(path(visitor.contactId, '/merge'), { from_id: merged.contactId });
    await erase();
    await waitForErasure();
    expect(await findTraces(word, other)).toEqual([]);
    for (const id of [visitor.contactId, merged.contactId]) {
      expect(outcome(await desk.owner.api.get(path(id)))).toEqual([404, 'not_found']);
    }
  });

  it('An erased contact loses its tokens and sockets, and its external_id opens a new contact', async () => {
    const conversation = await world.conversation(visitor);
    const sockets = [await world.visitorSocket(visitor), await world.visitorSocket(visitor, { conv: conversation.id })];
    const inbox = await world.agentSocket(desk.owner);
    await erase();
    expect(await Promise.all(sockets.map(async socket => (await socket.end(CLOSE_TIMEOUT_MS)).code))).toEqual([
      4502, 4502,
    ]);
    expect(outcome(await visitor.api.get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
    expect((await inbox.next('contact.deleted')).data).toEqual({ id: visitor.contactId });
    const bearer = { Authorization: `Bearer ${visitor.token}` };
    const body = { widget_token: desk.widgetToken, external_id: externalId };
    const again = await world.anyone.post('/v1/widget/session', body, bearer);
    expect(again.data.contact_id).not.toBe(visitor.contactId);
    const seen = await world.as(again.data.visitor_token).get('/v1/widget/conversations');
    expect(seen.data.items).toEqual([]);
  });

  it('An erased contact gets 404 on every route, and its conversations accept no changes (410)', async () => {
    const id = await createConversation();
    await erase();
    const { api } = desk.owner;
    for (const answer of [
      await api.get(path()),
      await api.patch(path(), { name: word }),
      await api.post(path(visitor.contactId, '/block')),
      await api.get(path(visitor.contactId, '/conversations')),
      await erase(),
    ]) {
      expect(outcome(answer)).toEqual([404, 'not_found']);
    }
    expect((await api.get('/v1/contacts')).data.items).toEqual([]);
    const begun = await api.post('/v1/conversations', { contact_id: visitor.contactId, channel_id: desk.channelId });
    expect(begun.error.details).toMatchObject([{ field: 'contact_id' }]);
    for (const answer of [
      await api.post(`/v1/conversations/${id}/messages`, { content: word }),
      await api.post(`/v1/conversations/${id}/messages`, { content: word, private: true }),
      await api.patch(`/v1/conversations/${id}`, { subject: word }),
      await api.post(`/v1/conversations/${id}/reopen`),
    ]) {
      expect(outcome(answer)).toEqual([410, 'conversation_erased']);
    }
    await waitForErasure();
    expect(await findTraces(word)).toEqual([]);
  });

  it('An Idempotency-Key whose answer was erased gets 410 and has no second effect', async () => {
    const id = (await world.conversation(visitor)).id as string;
    const key = { 'Idempotency-Key': unique('key') };
    const make = (name: string) => desk.owner.api.post('/v1/contacts', { name }, key);
    const send = () => desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: word }, key);
    const other = (await make('Somebody else')).data;
    await send();
    await erase();
    expect(outcome(await send())).toEqual([410, 'answer_erased']);
    await waitForErasure();
    expect(outcome(await send())).toEqual([410, 'answer_erased']);
    const stored = await database.query<{ answer: string | null }>(
      'SELECT answer FROM kept_answer WHERE workspace_id = $1 ORDER BY created_at',
      [desk.workspaceId],
    );
    expect(stored.map(({ answer }) => answer === null)).toEqual([false, true]);
    expect((await make('Somebody else')).data).toEqual(other);
  });

  it('A resumed socket receives no words of an erased contact', async () => {
    const socket = await world.agentSocket(desk.owner);
    const { cursor } = (await socket.next('connected')).data;
    await socket.close();
    await createConversation();
    await erase();
    const back = await world.agentSocket(desk.owner, { after: cursor as string });
    await back.next('resumed');
    await back.next('contact.deleted');
    expect(back.of('message.created').length).toBeGreaterThan(4);
    expect(JSON.stringify(back.frames)).not.toContain(word);
  });

  it('Admins and keys who see all channels can erase a contact, others get 403 or 404', async () => {
    const agent = await world.colleague(desk);
    const limited = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    expect(outcome(await erase(agent.api))).toEqual([403, 'forbidden']);
    expect(outcome(await erase(limited.api))).toEqual([403, 'scope_too_narrow']);
    expect(outcome(await erase((await world.desk()).owner.api))).toEqual([404, 'not_found']);
    expect((await erase(await world.apiKey(desk, { scopes: ['contacts:write'] }))).status).toBe(200);
    const [event] = await database.query<{ actor: Json; payload: Json }>(
      `SELECT actor, payload FROM event WHERE type = 'contact.deleted' AND contact_id = $1`,
      [visitor.contactId],
    );
    expect(event).toMatchObject({ actor: { type: 'api_key' }, payload: { id: visitor.contactId } });
  });
});

describe('Erasing a contact during its requests', () => {
  it('Erasing a contact leaves no word of messages that it and agents send at that moment', async () => {
    for (let round = 0; round < 3; round += 1) {
      word = unique('Marvin').replaceAll('-', '');
      visitor = await createPerson(word);
      const { id } = await world.conversation(visitor, word);
      const rowLock = await lockRowByUpdate(database, 'conversation', id as string, 'version = version');
      const attempts = race(9, index => {
        const body = { content: `${word} ${index}` };
        const key = { 'Idempotency-Key': unique(word) };
        if (index % 3 === 0) return desk.owner.api.post(`/v1/conversations/${id}/messages`, body, key);
        if (index % 3 === 1) return visitor.api.post(`/v1/widget/conversations/${id}/messages`, body, key);
        return visitor.api.post('/v1/widget/conversations', { message: body });
      });
      await rowLock.awaited();
      const others = [
        erase(),
        world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken }),
        visitor.api.patch('/v1/widget/contact', { name: `New ${word}` }),
        desk.owner.api.patch(path(), { name: `Newer ${word}` }),
      ];
      await rowLock.commit();
      const [erased] = await Promise.all(others);
      const sent = (await attempts).map(outcome);
      expect(erased?.status).toBe(200);
      for (const [status] of sent) expect([201, 200, 401, 410]).toContain(status);
      await waitForErasure();
      expect(await findTraces(word)).toEqual([]);
    }
  });

  it('Erasing a contact leaves none of the sockets open that it is opening at that moment', async () => {
    const opening = race(6, () => world.visitorSocket(visitor).catch(() => null));
    await erase();
    const sockets = (await opening).filter(socket => socket !== null) as TestSocket[];
    for (const socket of sockets) expect((await socket.end(CLOSE_TIMEOUT_MS)).code).toBe(4502);
  });
});

describe('Erasing long conversations', () => {
  const MESSAGES = 1_800;

  /** Inserts the messages and events of a long conversation by SQL. */
  async function fill(id: string): Promise<void> {
    await database.query(
      `WITH inserted AS (
         INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, content_type, content, private)
         SELECT workspace_id, gen_random_uuid(), id, last_seq + n, 'contact', contact_id, 'text', $2 || n, false
         FROM conversation, generate_series(1, $3::int) AS n WHERE id = $1 RETURNING *
       ), logged AS (
         INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version)
         SELECT gen_random_uuid(), first.workspace_id, first.channel_id, first.conversation_id, first.contact_id, first.type, first.actor,
                jsonb_set(first.payload, '{message}', first.payload -> 'message' || jsonb_build_object('content', inserted.content)), first.payload_version
         FROM inserted, (SELECT * FROM event WHERE conversation_id = $1 AND type = 'message.created' LIMIT 1) AS first
         ORDER BY seq
       )
       UPDATE conversation SET last_seq = last_seq + $3, last_public_seq = last_public_seq + $3 WHERE id = $1`,
      [id, word, MESSAGES],
    );
  }

  const job = () => world.app.app.get(ErasureJob);
  const isPending = async () => (await database.query('SELECT FROM erasure')).length > 0;
  /** Runs the job until nothing is pending, because a failed run can still have its claim. */
  async function scrubRest(): Promise<void> {
    while (await isPending()) await job().runUntilDone();
  }
  const countStored = async () =>
    (
      await database.query<{ count: number }>(`SELECT count(*)::int AS count FROM message WHERE content LIKE $1`, [
        `${word}%`,
      ])
    )[0]?.count ?? 0;

  /** Records the slices that an instance scrubs and makes each one after the first `slices` fail. */
  function interceptSlices(slices: number, { app } = world.app) {
    const messages = app.get(MessagesRepository);
    const scrub = messages.scrubSlice.bind(messages);
    const marks: number[] = [];
    const watch = { marks, failures: 0, left: slices, end: () => spy.mockRestore() };
    const spy = jest.spyOn(messages, 'scrubSlice').mockImplementation(async (...args) => {
      if (watch.left === 0) {
        watch.failures += 1;
        throw new Error('planned');
      }
      watch.left -= 1;
      const slice = await scrub(...args);
      marks.push(Number(args[1]));
      return slice;
    });
    return watch;
  }

  it('Content of an erased contact is never served again, even while it is still stored', async () => {
    const { api } = desk.owner;
    const id = await createConversation();
    const { data: before } = await api.get('/v1/events?limit=200');
    const socket = await world.agentSocket(desk.owner);
    const { cursor } = (await socket.next('connected')).data;
    await socket.close();
    const key = { 'Idempotency-Key': unique('key') };
    const sendWithKey = () => api.post(`/v1/conversations/${id}/messages`, { content: `Bye ${word}` }, key);
    await sendWithKey();
    const watch = interceptSlices(0);
    try {
      await erase();
      await job()
        .runUntilDone()
        .catch(() => undefined);
      expect(await findTraces(word)).not.toEqual([]);
      const [message] = (await api.get(`/v1/conversations/${id}/messages`)).data.items as Json[];
      expect(message).toMatchObject({ content: null, metadata: {}, deleted_at: expect.any(String) });
      const answers = [
        await api.get(`/v1/conversations/${id}`),
        await api.get('/v1/conversations'),
        await api.get(`/v1/conversations/${id}/messages?limit=200`),
        await api.get('/v1/events?limit=200'),
        await sendWithKey(),
      ];
      expect(JSON.stringify(before)).toContain(word);
      expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(word);
      const back = await world.agentSocket(desk.owner, { after: cursor as string });
      await back.next('resumed');
      expect(back.of('message.created').length).toBeGreaterThan(0);
      expect(JSON.stringify(back.frames)).not.toContain(word);
    } finally {
      watch.end();
    }
    await scrubRest();
    expect(await findTraces(word)).toEqual([]);
  });

  it('Erasing a long conversation works in slices, continues after a failure, and is recorded at the end', async () => {
    const { id } = await world.conversation(visitor, word);
    await fill(id as string);
    const watch = interceptSlices(2);
    await erase();
    await eventually(() => watch.failures > 0 || undefined);
    expect(await countStored()).toBe(MESSAGES + 1 - 2 * 500);
    watch.left = Infinity;
    await scrubRest();
    expect(watch.marks).toEqual([0, 500, 1_000, 1_500]);
    watch.end();
    expect(await findTraces(word)).toEqual([]);
    const [event] = await database.query<{ payload: Json }>(
      `SELECT payload FROM event WHERE type = 'contact.erased' AND contact_id = $1`,
      [visitor.contactId],
    );
    expect(event?.payload).toMatchObject({ id: visitor.contactId });
    expect(event?.payload.scrubbed_rows).toBeGreaterThan(2 * MESSAGES);
  });

  it('Two instances that erase at the same time scrub each slice once', async () => {
    const other = await World.start({}, { database });
    try {
      const { id } = await world.conversation(visitor, word);
      await fill(id as string);
      const watches = [world, other].map(({ app }) => interceptSlices(0, app));
      await erase();
      await eventually(() => watches.some(({ failures }) => failures > 0) || undefined);
      for (const watch of watches) watch.left = Infinity;
      while (await isPending()) {
        await Promise.all([world, other].map(({ app }) => app.app.get(ErasureJob).runUntilDone()));
      }
      const marks = watches.flatMap(watch => watch.marks);
      expect(marks.sort((a, b) => a - b)).toEqual([0, 500, 1_000, 1_500]);
      for (const watch of watches) watch.end();
    } finally {
      await other.stop();
    }
    expect(await findTraces(word)).toEqual([]);
  });
});
