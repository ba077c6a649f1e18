import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { countsOf, race } from '../support/race.js';
import { LOCAL_WEBHOOKS, WebhookReceiver } from '../support/webhook-receiver.js';
import type { Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

/** Uses a public IP address, so that no host name has to resolve. */
const HOOK = 'https://93.184.215.14/hook';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const EVERYTHING = { url: HOOK, events: ['*'] };

let world: World;
let desk: Desk;
let api: Caller;

beforeAll(async () => {
  world = await World.start(LOCAL_WEBHOOKS);
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  ({ api } = desk.owner);
});

async function create(body: object = {}, caller = api): Promise<Json> {
  const made = await caller.post('/v1/webhooks', { ...EVERYTHING, ...body });
  if (made.status !== 201) throw new Error(`no webhook: ${JSON.stringify(made.body)}`);
  return made.data;
}

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);

describe('Webhooks', () => {
  it('A new webhook is answered with its secret, and no other answer contains it.', async () => {
    const { secret, ...webhook } = await create({ description: 'CRM', include_private: true });
    expect(secret).toMatch(SECRET);
    expect(webhook).toEqual({
      id: expect.any(String),
      url: HOOK,
      events: ['*'],
      channel_ids: null,
      include_private: true,
      enabled: true,
      disabled_reason: null,
      description: 'CRM',
      created_at: expect.any(String),
      last_success_at: null,
    });
    const path = `/v1/webhooks/${webhook.id}`;
    expect((await api.get(path)).data).toEqual(webhook);
    expect((await api.get('/v1/webhooks')).data).toEqual({ items: [webhook], next_cursor: null });
    expect((await api.patch(path, { description: 'ERP' })).data).toEqual({ ...webhook, description: 'ERP' });
    const rows = await sql(`SELECT * FROM webhook WHERE id = $1`, [webhook.id]);
    expect(JSON.stringify(rows)).not.toContain((secret as string).slice(6));
  });

  it('Webhooks are listed oldest first, in pages.', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await create()).id as string);
    const first = (await api.get('/v1/webhooks?limit=2')).data;
    const second = (await api.get(`/v1/webhooks?limit=2&cursor=${first.next_cursor}`)).data;
    expect([...first.items, ...second.items].map(({ id }: Json) => id as string)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
  });

  it('People see the URL without its query, API keys see all of it, and no event contains the query.', async () => {
    const { id } = await create({ url: `${HOOK}?token=hidden` });
    const key = await world.apiKey(desk);
    expect((await api.get(`/v1/webhooks/${id}`)).data.url).toBe(HOOK);
    expect((await key.get(`/v1/webhooks/${id}`)).data.url).toBe(`${HOOK}?token=hidden`);
    const events = await sql<{ text: string }>(`SELECT payload::text AS text FROM event WHERE type LIKE 'webhook.%'`);
    expect(events.length).toBeGreaterThan(0);
    expect(JSON.stringify(events)).not.toContain('hidden');
  });

  it('A deleted webhook is gone at once (404).', async () => {
    const { id } = await create();
    expect((await api.delete(`/v1/webhooks/${id}`)).data).toEqual({ id, deleted: true });
    for (const answer of [
      await api.get(`/v1/webhooks/${id}`),
      await api.patch(`/v1/webhooks/${id}`, { enabled: false }),
      await api.delete(`/v1/webhooks/${id}`),
      await api.get(`/v1/webhooks/${id}/deliveries`),
      await api.post(`/v1/webhooks/${id}/test`),
      await api.post(`/v1/webhooks/${id}/rotate-secret`),
    ])
      expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
  });

  it('A rotation answers another secret, once.', async () => {
    const { id, secret } = await create();
    const rotated = (await api.post(`/v1/webhooks/${id}/rotate-secret`)).data;
    expect(rotated.secret).toMatch(SECRET);
    expect(rotated.secret).not.toBe(secret);
  });

  it('A patch that changes nothing records no event.', async () => {
    const { id } = await create();
    await api.patch(`/v1/webhooks/${id}`, { events: ['*'], enabled: true });
    const types = await sql(`SELECT type FROM event WHERE payload ->> 'id' = $1`, [id]);
    expect(types).toEqual([{ type: 'webhook.created' }]);
  });

  it('A request that is repeated with its Idempotency-Key creates one webhook with one secret.', async () => {
    const once = { 'Idempotency-Key': unique('once') };
    const answers = await race(4, () => api.post('/v1/webhooks', EVERYTHING, once));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ data }) => data.secret as string)).size).toBe(1);
    expect((await api.get('/v1/webhooks')).data.items).toHaveLength(1);
  });

  it('A workspace has at most 20 webhooks, also when they are created at once (409 limit_reached).', async () => {
    const answers = await race(24, () => api.post('/v1/webhooks', EVERYTHING));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 20, 409: 4 });
    const refused = await api.post('/v1/webhooks', EVERYTHING);
    expect([refused.status, refused.error.code]).toEqual([409, 'limit_reached']);
    const [first] = (await api.get('/v1/webhooks')).data.items;
    await api.delete(`/v1/webhooks/${first.id}`);
    expect((await api.post('/v1/webhooks', EVERYTHING)).status).toBe(201);
  });
});

describe('Validation of webhooks', () => {
  const faults = async (body: object): Promise<unknown[]> => {
    const answer = await api.post('/v1/webhooks', { ...EVERYTHING, ...body });
    return [answer.status, answer.error.code, ...(answer.error.details ?? []).map(({ field, code }) => [field, code])];
  };

  it.each([
    ['an unknown type', ['message.*', 'message.exploded'], 'events[1]'],
    ['an unknown resource', ['session.*'], 'events[0]'],
    ['a type that is not offered', ['webhook.created'], 'events[0]'],
    ['a key', ['api_key.created'], 'events[0]'],
    ['an invite', ['invite.*'], 'events[0]'],
    ['a rotated secret', ['bot.secret_rotated'], 'events[0]'],
    ['a view', ['view.created'], 'events[0]'],
  ])('A webhook for %s is refused (400).', async (_name, events, field) => {
    expect(await faults({ events })).toEqual([400, 'validation_failed', [field, 'unknown']]);
  });

  it('A webhook without events is refused (400).', async () => {
    expect(await faults({ events: [] })).toEqual([400, 'validation_failed', ['events', 'required']]);
    expect((await faults({ events: undefined }))[0]).toBe(400);
  });

  it.each([
    ['http://10.0.0.1/', 'address_not_allowed'],
    ['http://169.254.169.254/latest/meta-data', 'address_not_allowed'],
    ['http://[::ffff:10.0.0.1]/', 'address_not_allowed'],
    ['https://user:password@93.184.215.14/', 'credentials'],
    ['ftp://93.184.215.14/', 'format'],
  ])('The URL %s is refused (400).', async (url, code) => {
    expect(await faults({ url })).toEqual([400, 'validation_failed', ['url', code]]);
    const { id } = await create();
    const patched = await api.patch(`/v1/webhooks/${id}`, { url });
    expect([patched.status, patched.error.details?.[0]?.code]).toEqual([400, code]);
  });

  it('A channel of another workspace is unknown (400).', async () => {
    const { channelId } = await world.desk();
    expect(await faults({ channel_ids: [channelId] })).toEqual([
      400,
      'validation_failed',
      ['channel_ids[0]', 'unknown'],
    ]);
  });

  it('Every offered type and every pattern of one is accepted.', async () => {
    const events = ['message.*', 'conversation.read', 'contact.merged', 'member.*', 'bot.*', 'channel.deleted'];
    const more = ['canned_response.*', 'tag.updated', 'workspace.updated', '*'];
    expect((await create({ events: [...events, ...more] })).events).toEqual([...events, ...more]);
  });
});

describe('Rights on webhooks', () => {
  it('An agent may not read webhooks, an admin and a key may do everything.', async () => {
    const { id } = await create();
    const agent = await world.colleague(desk);
    const refused = await agent.api.get(`/v1/webhooks/${id}`);
    expect([refused.status, refused.error.code]).toEqual([403, 'forbidden']);
    const admin = await world.colleague(desk, { role: 'admin' });
    const key = await world.apiKey(desk, { scopes: ['webhooks:write'] });
    for (const caller of [admin.api, key]) {
      const made = await create({}, caller);
      expect((await caller.patch(`/v1/webhooks/${made.id}`, { enabled: false })).status).toBe(200);
      expect((await caller.delete(`/v1/webhooks/${made.id}`)).status).toBe(200);
    }
  });

  it('A session limited to channels may neither read nor change webhooks (403 scope_too_narrow).', async () => {
    const { id } = await create();
    const narrow = await api.post('/v1/auth/agent-token', { channel_ids: [desk.channelId] });
    const session = world.as(narrow.data.token as string);
    for (const answer of [
      await session.get('/v1/webhooks'),
      await session.post('/v1/webhooks', EVERYTHING),
      await session.patch(`/v1/webhooks/${id}`, { url: 'https://93.184.215.15/' }),
      await session.post(`/v1/webhooks/${id}/rotate-secret`),
      await session.get(`/v1/webhooks/${id}/deliveries`),
      await session.post(`/v1/webhooks/${id}/test`),
      await session.post(`/v1/webhooks/${id}/replay`, { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }),
    ])
      expect([answer.status, answer.error.code]).toEqual([403, 'scope_too_narrow']);
  });

  it("Another workspace's webhook is not found (404).", async () => {
    const { id } = await create();
    const other = (await world.desk()).owner.api;
    for (const answer of [
      await other.get(`/v1/webhooks/${id}`),
      await other.patch(`/v1/webhooks/${id}`, { enabled: false }),
      await other.delete(`/v1/webhooks/${id}`),
      await other.get(`/v1/webhooks/${id}/deliveries`),
      await other.post(`/v1/webhooks/${id}/test`),
    ])
      expect(answer.status).toBe(404);
    expect((await other.get('/v1/webhooks')).data.items).toEqual([]);
  });

  it('A key that only reads webhooks may not change them (403).', async () => {
    const { id } = await create();
    const key = await world.apiKey(desk, { scopes: ['webhooks:read'] });
    expect((await key.get(`/v1/webhooks/${id}/deliveries`)).status).toBe(200);
    expect((await key.post(`/v1/webhooks/${id}/test`)).status).toBe(403);
  });
});

describe('The test of a webhook', () => {
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });

  async function createAt(url: string): Promise<string> {
    const { id, secret } = await create({ url, events: ['message.created'] });
    receiver.secrets.push(secret as string);
    return id;
  }

  it('A test sends one signed event and answers status, latency and the first KiB of the body.', async () => {
    receiver.respond = (_delivery, response) => void response.writeHead(202).end('x'.repeat(5_000));
    const id = await createAt(receiver.url);
    const { data } = await api.post(`/v1/webhooks/${id}/test`);
    expect(data).toEqual({ ok: true, status: 202, latency_ms: expect.any(Number), body: 'x'.repeat(1_024) });
    expect(receiver.received.map(({ body }) => body)).toEqual([
      {
        id: receiver.received[0]!.id,
        type: 'webhook.test',
        timestamp: expect.any(String),
        workspace_id: desk.workspaceId,
        cursor: expect.any(String),
        data: { webhook_id: id },
      },
    ]);
    expect(receiver.unsigned).toEqual([]);
    expect((await api.get(`/v1/webhooks/${id}/deliveries`)).data.items).toEqual([]);
    await receiver.stop();
  });

  it('A failing endpoint and a redirect are not ok.', async () => {
    receiver.respond = (_delivery, response) => void response.writeHead(302, { Location: HOOK }).end('moved');
    const id = await createAt(receiver.url);
    const { data } = await api.post(`/v1/webhooks/${id}/test`);
    expect(data).toMatchObject({ ok: false, status: 302, body: 'moved' });
    await receiver.stop();
  });

  it('A closed port and a refused address have one error, endpoint_unreachable.', async () => {
    const id = await createAt(receiver.url);
    await receiver.stop();
    const unreachable = { ok: false, status: null, latency_ms: expect.any(Number), error: 'endpoint_unreachable' };
    expect((await api.post(`/v1/webhooks/${id}/test`)).data).toEqual(unreachable);
    await sql(`UPDATE webhook SET url = 'http://10.0.0.1/hook' WHERE id = $1`, [id]);
    expect((await api.post(`/v1/webhooks/${id}/test`)).data).toEqual(unreachable);
  });

  it('A workspace tests its webhooks ten times a minute, and replays to one six times an hour (429).', async () => {
    const limits = { ...LOCAL_WEBHOOKS, RATE_LIMITS: '' };
    const limited = await World.start(limits, { database: world.app.database });
    try {
      const caller = limited.as(desk.owner.token);
      const ids = [await createAt(receiver.url), await createAt(receiver.url)];
      const tests = [];
      for (let count = 0; count < 11; count += 1) tests.push(await caller.post(`/v1/webhooks/${ids[count % 2]}/test`));
      expect(countsOf(tests.map(({ status }) => status))).toEqual({ 200: 10, 429: 1 });
      const past = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
      const replays = [];
      for (let count = 0; count < 7; count += 1) replays.push(await caller.post(`/v1/webhooks/${ids[0]}/replay`, past));
      expect(countsOf(replays.map(({ status }) => status))).toEqual({ 200: 6, 429: 1 });
      expect((await caller.post(`/v1/webhooks/${ids[1]}/replay`, past)).status).toBe(200);
    } finally {
      await limited.stop();
      await receiver.stop();
    }
  });
});

describe('Deliveries of a webhook', () => {
  it('Deliveries are listed newest first, in pages, by status and by type.', async () => {
    const receiver = await WebhookReceiver.start();
    const { id, secret } = await create({ url: receiver.url, events: ['message.created', 'conversation.created'] });
    receiver.secrets.push(secret as string);
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, '1');
    for (const content of ['2', '3'])
      await visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content });
    await receiver.until(4);
    const path = `/v1/webhooks/${id}/deliveries`;
    const first = (await api.get(`${path}?limit=3`)).data;
    const rest = (await api.get(`${path}?limit=3&cursor=${first.next_cursor}`)).data;
    const types = [...first.items, ...rest.items].map(({ event }: Json) => event as string);
    expect(types).toEqual(['message.created', 'message.created', 'message.created', 'conversation.created']);
    expect(rest.next_cursor).toBeNull();
    expect((await api.get(`${path}?event=conversation.created`)).data.items).toHaveLength(1);
    expect((await api.get(`${path}?status=failed`)).data.items).toEqual([]);
    expect((await api.get(`${path}?status=lost`)).status).toBe(400);
    expect((await api.get(`${path}?cursor=nonsense`)).error.code).toBe('cursor_invalid');
    await receiver.stop();
  });

  it('A delivery of another webhook is not found (404).', async () => {
    const receiver = await WebhookReceiver.start();
    const { id, secret } = await create({ url: receiver.url });
    receiver.secrets.push(secret as string);
    const other = await create({ enabled: false });
    await world.conversation(await world.visitor(desk));
    await receiver.until(1);
    const [delivery] = (await api.get(`/v1/webhooks/${id}/deliveries`)).data.items;
    const answer = await api.post(`/v1/webhooks/${other.id}/deliveries/${delivery.id}/retry`);
    expect(answer.status).toBe(404);
    await receiver.stop();
  });
});
