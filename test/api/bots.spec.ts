import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ConversationCountsRepairService } from '../../src/modules/conversations/index.js';
import type { BotRecord } from '../../src/modules/bots/index.js';
import type { ChannelRecord } from '../../src/modules/channels/index.js';
import type { ConversationRecord } from '../../src/modules/conversations/index.js';
import type { MessageRecord } from '../../src/modules/messages/index.js';
import { newId } from '../../src/kernel/ids.js';
import { CipherService } from '../../src/platform/encryption/cipher.service.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import { countsOf, race } from '../support/race.js';
import type { Agent, Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
type WithSecret = BotRecord & { secret: string };

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
/** Uses a public IP address, so that no host name has to resolve. */
const HOOK = 'https://93.184.215.14/bot';

const logLines: string[] = [];
let world: World;
beforeAll(async () => {
  world = await World.start({ LOG_LEVEL: 'trace' }, { log: { write: line => void logLines.push(line) } });
});
afterEach(() => world.app.clock.reset());
afterAll(() => world.stop());

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);

async function createBot(api: Caller, body: object = {}): Promise<WithSecret> {
  const made = await api.post<WithSecret>('/v1/bots', { name: unique('Bot'), ...body });
  if (made.status !== 201) throw new Error(`no bot: ${JSON.stringify(made.body)}`);
  return made.data;
}

async function listBots(api: Caller): Promise<BotRecord[]> {
  return (await api.get<Page<BotRecord>>('/v1/bots')).data.items;
}

function refusalOf({ status, error }: Answer<unknown>): [number, string, string[][]] {
  return [status, error.code, (error.details ?? []).map(({ field, code }) => [field, code])];
}

async function findSystemBot({ workspaceId }: Desk): Promise<string> {
  const [bot] = await sql<{ id: string }>(`SELECT id FROM bot WHERE workspace_id = $1 AND kind = 'system'`, [
    workspaceId,
  ]);
  return bot?.id ?? '';
}

interface LoggedEvent {
  type: string;
  actor: object;
  payload: BotRecord;
  address: string | null;
  user_agent: string | null;
}

/** Returns the recorded events about a bot, oldest first. */
function readEvents(botId: string): Promise<LoggedEvent[]> {
  const columns = 'type, actor, payload, address, user_agent';
  return sql(`SELECT ${columns} FROM event WHERE type LIKE 'bot.%' AND payload ->> 'id' = $1 ORDER BY position`, [
    botId,
  ]);
}

/** Routes a channel to a bot. */
async function route(desk: Desk, botId: string, channelId = desk.channelId): Promise<void> {
  const routed = await desk.owner.api.patch(`/v1/channels/${channelId}`, { routing: { bot_id: botId } });
  if (routed.status !== 200) throw new Error(`not routed: ${JSON.stringify(routed.body)}`);
}

/** Starts conversations of a channel that is routed to the bot. */
async function createBotConversations(
  desk: Desk,
  botId: string,
  count = 1,
  channel: { id: string; widgetToken: string } = { id: desk.channelId, widgetToken: desk.widgetToken },
): Promise<ConversationRecord[]> {
  await route(desk, botId, channel.id);
  const led: ConversationRecord[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await world.conversation(await world.visitor(channel));
    led.push(await readConversation(desk.owner, id as string));
  }
  return led;
}

/** Waits until a conversation has left the bot. */
function handedOver(agent: Agent, id: string): Promise<ConversationRecord> {
  return eventually(async () => {
    const conversation = await readConversation(agent, id);
    return conversation.status === 'open' ? conversation : undefined;
  });
}

async function readConversation(agent: Agent, id: string): Promise<ConversationRecord> {
  return (await agent.api.get<ConversationRecord>(`/v1/conversations/${id}`)).data;
}

async function readMessages(api: Caller, id: string): Promise<MessageRecord[]> {
  return (await api.get<Page<MessageRecord>>(`/v1/conversations/${id}/messages`)).data.items;
}

describe('Bots', () => {
  it('A new bot has the default settings and shows its secret', async () => {
    const { owner } = await world.desk();
    const made = await owner.api.post<WithSecret>('/v1/bots', { name: 'Berta' });
    expect(made.status).toBe(201);
    expect(made.data).toEqual({
      id: expect.any(String),
      name: 'Berta',
      description: null,
      avatar_url: null,
      status: 'enabled',
      webhook_url: null,
      history_count: 10,
      timeout_seconds: 120,
      created_at: expect.any(String),
      updated_at: made.data.created_at,
      secret: expect.stringMatching(SECRET),
    });
  });

  it('A new bot has the settings that its creation gives', async () => {
    const { owner } = await world.desk();
    const given = {
      name: 'Berta',
      description: 'Answers common questions.',
      avatar_url: 'https://cdn.shop.example/berta.png',
      status: 'disabled',
      webhook_url: HOOK,
      history_count: 0,
      timeout_seconds: 5,
    };
    const made = await createBot(owner.api, given);
    expect(made).toMatchObject(given);
    expect((await owner.api.get(`/v1/bots/${made.id}`)).data).toMatchObject(given);
  });

  it('A bot update keeps fields that are absent and clears fields that are null', async () => {
    const { owner } = await world.desk();
    const given = { description: 'Helps.', avatar_url: 'https://cdn.shop.example/b.png', webhook_url: HOOK };
    const { id, name } = await createBot(owner.api, given);
    world.app.clock.advance(60);
    const renamed = await owner.api.patch<BotRecord>(`/v1/bots/${id}`, { name: 'Bert', history_count: 3 });
    expect(renamed.status).toBe(200);
    expect(renamed.data).toMatchObject({ ...given, name: 'Bert', history_count: 3, timeout_seconds: 120 });
    expect(renamed.data.updated_at > renamed.data.created_at).toBe(true);
    const nothing = { description: null, avatar_url: null, webhook_url: null };
    const cleared = await owner.api.patch<BotRecord>(`/v1/bots/${id}`, nothing);
    expect(cleared.data).toMatchObject({ ...nothing, name: 'Bert', history_count: 3 });
    expect((await owner.api.get(`/v1/bots/${id}`)).data).toEqual(cleared.data);
    expect(name).not.toBe('Bert');
  });

  it.each([
    ['name', ''],
    ['name', null],
    ['name', 'x'.repeat(201)],
    ['name', 7],
    ['description', ''],
    ['description', 'x'.repeat(1001)],
    ['avatar_url', 'javascript:alert(1)'],
    ['avatar_url', `https://${'x'.repeat(2048)}`],
    ['status', 'asleep'],
    ['status', null],
    ['webhook_url', ''],
    ['webhook_url', 7],
    ['history_count', -1],
    ['history_count', 11],
    ['history_count', 1.5],
    ['history_count', '3'],
    ['history_count', null],
    ['timeout_seconds', 4],
    ['timeout_seconds', 601],
    ['timeout_seconds', 3601],
    ['timeout_seconds', null],
  ])('A bot cannot be created or updated with %s = %j (400)', async (field, value) => {
    const { owner } = await world.desk();
    const { id } = await createBot(owner.api);
    for (const answer of [
      await owner.api.post('/v1/bots', { name: 'Berta', [field]: value }),
      await owner.api.patch(`/v1/bots/${id}`, { [field]: value }),
    ]) {
      expect([answer.status, answer.error.details?.map(fault => fault.field)]).toEqual([400, [field]]);
    }
    expect(await listBots(owner.api)).toHaveLength(1);
  });

  it.each([
    ['timeout_seconds', 5],
    ['timeout_seconds', 600],
    ['history_count', 0],
    ['history_count', 10],
  ])('A bot can be created and updated with %s = %i', async (field, value) => {
    const { owner } = await world.desk();
    expect(await createBot(owner.api, { [field]: value })).toMatchObject({ [field]: value });
    const { id } = await createBot(owner.api);
    const updated = await owner.api.patch(`/v1/bots/${id}`, { [field]: value });
    expect([updated.status, updated.data]).toMatchObject([200, { [field]: value }]);
  });

  it('A bot cannot be created without a name or with nulls', async () => {
    const { owner } = await world.desk();
    const nulls = { description: null, avatar_url: null, webhook_url: null };
    const refused = await owner.api.post('/v1/bots', nulls);
    const fields = (refused.error.details ?? []).map(({ field }) => field).sort();
    expect([refused.status, fields]).toEqual([400, ['avatar_url', 'description', 'name', 'webhook_url']]);
  });

  it('A request body cannot set the id, secret, kind or workspace of a bot', async () => {
    const { owner } = await world.desk();
    const made = await createBot(owner.api, {
      id: newId(),
      secret: 'whsec_mine',
      kind: 'system',
      workspace_id: newId(),
    });
    expect(made.secret).toMatch(SECRET);
    const changed = await owner.api.patch<BotRecord>(`/v1/bots/${made.id}`, {
      kind: 'system',
      deleted_at: '2020-01-01',
    });
    expect([changed.status, changed.data.id]).toEqual([200, made.id]);
    expect(await listBots(owner.api)).toHaveLength(1);
  });

  it('A creation repeated with its Idempotency-Key creates one bot and returns the same secret', async () => {
    const { owner } = await world.desk();
    const make = () => owner.api.post<WithSecret>('/v1/bots', { name: 'Berta' }, { 'Idempotency-Key': 'one-bot' });
    const [first, second] = [await make(), await make()];
    expect(second.data).toEqual(first.data);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(await listBots(owner.api)).toHaveLength(1);
  });

  it('A workspace has at most 100 bots, also when they are created at once (409 limit_reached).', async () => {
    const { owner, workspaceId } = await world.desk();
    await sql(
      `INSERT INTO bot (workspace_id, id, kind, name)
       SELECT $1, gen_random_uuid(), 'custom', 'Bot ' || n FROM generate_series(1, 95) AS n`,
      [workspaceId],
    );
    const answers = await race(8, () => owner.api.post('/v1/bots', { name: 'Raced' }));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 5, 409: 3 });
    const refused = await owner.api.post('/v1/bots', { name: 'Too many' });
    expect([refused.status, refused.error.code]).toEqual([409, 'limit_reached']);
    const { owner: stranger } = await world.desk();
    expect((await stranger.api.post('/v1/bots', { name: 'Theirs' })).status).toBe(201);
    const [first] = await listBots(owner.api);
    await owner.api.delete(`/v1/bots/${first?.id}`);
    expect((await owner.api.post('/v1/bots', { name: 'Next' })).status).toBe(201);
  });

  it('Two concurrent updates of a bot are both kept', async () => {
    const { owner } = await world.desk();
    const { id } = await createBot(owner.api);
    const rowLock = await lockRowByUpdate(world.app.database, 'bot', id, `description = 'Changed meanwhile'`);
    const change = owner.api.patch<BotRecord>(`/v1/bots/${id}`, { name: 'Bert' });
    await rowLock.awaited();
    await rowLock.commit();
    expect((await change).data).toMatchObject({ name: 'Bert', description: 'Changed meanwhile' });
  });
});

describe('Listing bots', () => {
  it('The list of bots is paged, oldest first, and stable while bots are added', async () => {
    const { owner } = await world.desk();
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) made.push((await createBot(owner.api)).id);
    const first = (await owner.api.get<Page<BotRecord>>('/v1/bots?limit=2')).data;
    expect(first.items.map(({ id }) => id)).toEqual(made.slice(0, 2));
    made.push((await createBot(owner.api)).id);
    const rest: string[] = [];
    for (let cursor = first.next_cursor; cursor !== null;) {
      const page: Page<BotRecord> = (await owner.api.get<Page<BotRecord>>(`/v1/bots?limit=2&cursor=${cursor}`)).data;
      rest.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(rest).toEqual(made.slice(2));
    expect((await owner.api.get('/v1/bots?cursor=nonsense')).error.code).toBe('cursor_invalid');
  });

  it('The system bot is not listed, cannot be read or changed (404), and signs timeline entries', async () => {
    const desk = await world.desk();
    expect(await listBots(desk.owner.api)).toEqual([]);
    const system = await findSystemBot(desk);
    for (const api of [desk.owner.api, await world.apiKey(desk)]) {
      for (const answer of [
        await api.get(`/v1/bots/${system}`),
        await api.patch(`/v1/bots/${system}`, { name: 'Mine' }),
        await api.post(`/v1/bots/${system}/rotate-secret`),
        await api.delete(`/v1/bots/${system}`),
      ]) {
        expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
      }
    }
    const { id } = await world.conversation(await world.visitor(desk));
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    const entry = (await readMessages(desk.owner.api, id)).at(-1);
    expect(entry).toMatchObject({ content_type: 'event', sender_type: 'bot', sender_id: system });
  });
});

describe('Permissions for bots', () => {
  const writes = (id: string): [string, (api: Caller) => Promise<Answer<unknown>>][] => [
    ['create', api => api.post('/v1/bots', { name: 'Berta' })],
    ['update', api => api.patch(`/v1/bots/${id}`, { name: 'Bert' })],
    ['rotate-secret', api => api.post(`/v1/bots/${id}/rotate-secret`)],
    ['delete', api => api.delete(`/v1/bots/${id}`)],
  ];

  it('Every agent and every key with bots:read can read bots, also with a limited scope', async () => {
    const desk = await world.desk();
    const { id } = await createBot(desk.owner.api);
    const agents = [
      await world.colleague(desk),
      await world.colleague(desk, { role: 'admin' }),
      await world.colleague(desk, { channel_ids: [] }),
      await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] }),
    ];
    const keys = [await world.apiKey(desk), await world.apiKey(desk, { scopes: ['bots:read'] })];
    for (const api of [...agents.map(agent => agent.api), ...keys]) {
      expect((await listBots(api)).map(bot => bot.id)).toEqual([id]);
      expect((await api.get(`/v1/bots/${id}`)).status).toBe(200);
    }
  });

  it('Owners, admins and keys with bots:write can create, update, rotate and delete bots', async () => {
    const desk = await world.desk();
    const admin = await world.colleague(desk, { role: 'admin' });
    const callers = [
      desk.owner.api,
      admin.api,
      await world.apiKey(desk),
      await world.apiKey(desk, { scopes: ['bots:write'] }),
    ];
    for (const api of callers) {
      const { id } = await createBot(desk.owner.api);
      for (const [action, write] of writes(id)) {
        expect([action, (await write(api)).status]).toEqual([action, action === 'create' ? 201 : 200]);
      }
    }
  });

  it('Agents, keys without bots:write, narrowed sessions and visitors cannot change bots', async () => {
    const desk = await world.desk();
    const { id } = await createBot(desk.owner.api);
    const agent = await world.colleague(desk);
    const narrow = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    const refused: [Caller, string][] = [
      [agent.api, 'forbidden'],
      [narrow.api, 'scope_too_narrow'],
      [await world.apiKey(desk, { scopes: ['bots:read', 'channels:write'] }), 'forbidden'],
    ];
    for (const [api, code] of refused) {
      for (const [action, write] of writes(id)) {
        const answer = await write(api);
        expect([action, answer.status, answer.error.code]).toEqual([action, 403, code]);
      }
    }
    const visitor = await world.visitor(desk);
    for (const [action, write] of writes(id))
      expect([action, (await write(visitor.api)).status]).toEqual([action, 401]);
    expect((await visitor.api.get('/v1/bots')).status).toBe(401);
    expect(await listBots(desk.owner.api)).toHaveLength(1);
    expect((await readEvents(id)).map(({ type }) => type)).toEqual(['bot.created']);
  });

  it('A bot of another workspace cannot be read or changed (404), nor be the sender of a message (400)', async () => {
    const [ours, theirs] = [await world.desk(), await world.desk()];
    const { id } = await createBot(theirs.owner.api);
    const key = await world.apiKey(ours);
    for (const api of [ours.owner.api, key]) {
      const { data } = await api.get<Page<BotRecord>>('/v1/bots');
      expect(data.items).toEqual([]);
      expect((await api.get(`/v1/bots/${id}`)).error.code).toBe('not_found');
      for (const [action, write] of writes(id).slice(1)) {
        const answer = await write(api);
        expect([action, answer.status, answer.error.code]).toEqual([action, 404, 'not_found']);
      }
    }
    const { id: conversationId } = await world.conversation(await world.visitor(ours));
    const sent = await key.post(`/v1/conversations/${conversationId}/messages`, { content: 'Hi', bot_id: id });
    expect([sent.status, sent.error.code]).toEqual([400, 'sender_unknown']);
    expect(await readEvents(id)).toHaveLength(1);
    expect((await listBots(theirs.owner.api)).map(bot => bot.id)).toEqual([id]);
  });
});

describe('Bot secrets', () => {
  const readStoredSecret = async (id: string) =>
    (await sql<{ secret: string | null }>('SELECT secret FROM bot WHERE id = $1', [id]))[0]?.secret;
  const decryptStoredSecret = async (id: string) =>
    world.app.app.get(CipherService).decrypt((await readStoredSecret(id)) ?? '', 'bot.secret');

  it('A bot secret has the form of Standard Webhooks (24 to 64 random bytes in base64) and is unique', async () => {
    const { owner } = await world.desk();
    const secrets = [await createBot(owner.api), await createBot(owner.api)].map(({ secret }) => secret);
    for (const secret of secrets) {
      const bytes = Buffer.from(secret.replace('whsec_', ''), 'base64');
      expect(bytes.length).toBeGreaterThanOrEqual(24);
      expect(bytes.length).toBeLessThanOrEqual(64);
    }
    expect(new Set(secrets).size).toBe(2);
  });

  it('A bot secret is shown on creation and on rotation, and never again', async () => {
    const desk = await world.desk();
    const socket = await world.agentSocket(desk.owner);
    const { id, secret } = await createBot(desk.owner.api);
    const rotated = await desk.owner.api.post<WithSecret>(`/v1/bots/${id}/rotate-secret`);
    expect([rotated.status, rotated.data.id]).toEqual([200, id]);
    expect(rotated.data.secret).toMatch(SECRET);
    const changed = await desk.owner.api.patch(`/v1/bots/${id}`, { name: 'Bert' });
    const read = [changed, await desk.owner.api.get(`/v1/bots/${id}`), await desk.owner.api.get('/v1/bots')];
    await desk.owner.api.delete(`/v1/bots/${id}`);
    await socket.next('bot.deleted');
    const shown = [JSON.stringify(read.map(({ body }) => body)), JSON.stringify(socket.frames)].join();
    for (const word of [secret, rotated.data.secret, 'whsec_', '"secret"']) expect(shown).not.toContain(word);
    await socket.close();
  });

  it('A rotation replaces the stored bot secret at once', async () => {
    const { owner } = await world.desk();
    const { id, secret } = await createBot(owner.api);
    expect(await decryptStoredSecret(id)).toBe(secret);
    const rotated = await owner.api.post<WithSecret>(`/v1/bots/${id}/rotate-secret`);
    expect(rotated.data.secret).not.toBe(secret);
    expect(await decryptStoredSecret(id)).toBe(rotated.data.secret);
  });

  it('A bot secret is in no table and no log line in plain text', async () => {
    const { owner } = await world.desk();
    const made = await createBot(owner.api, { webhook_url: HOOK });
    const kept = await owner.api.post<WithSecret>('/v1/bots', { name: 'K' }, { 'Idempotency-Key': 'kept-bot' });
    const rotated = await owner.api.post<WithSecret>(`/v1/bots/${made.id}/rotate-secret`);
    const tables = await sql<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    const rows = await Promise.all(tables.map(({ name }) => sql(`SELECT row_to_json(t)::text AS row FROM ${name} t`)));
    const text = [JSON.stringify(rows), ...logLines].join('\n');
    expect(text).toContain(made.id);
    for (const { secret } of [made, kept.data, rotated.data]) {
      const bytes = secret.replace('whsec_', '');
      expect([text.includes(secret), text.includes(bytes)]).toEqual([false, false]);
    }
    expect(await readStoredSecret(made.id)).toMatch(/^[0-9a-f]{8}\./);
  });

  it('A bot secret is deleted with its bot', async () => {
    const { owner } = await world.desk();
    const { id } = await createBot(owner.api);
    await owner.api.delete(`/v1/bots/${id}`);
    expect(await readStoredSecret(id)).toBeNull();
  });

  it('Concurrent rotations of a bot secret leave one of the returned secrets in force', async () => {
    const { owner } = await world.desk();
    const { id } = await createBot(owner.api);
    const answers = await race(8, () => owner.api.post<WithSecret>(`/v1/bots/${id}/rotate-secret`));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 8 });
    const secrets = answers.map(({ data }) => data.secret);
    expect(new Set(secrets).size).toBe(8);
    expect(secrets).toContain(await decryptStoredSecret(id));
  });
});

describe('Bot webhook_url', () => {
  const HOSTILE: Record<string, string[]> = {
    address_not_allowed: [
      'http://127.0.0.1:5432/',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://017700000001/',
      'http://0/',
      'http://localhost/',
      'http://admin.localhost./',
      'http://169.254.169.254/latest/meta-data/',
      'http://10.0.0.1/',
      'http://172.20.0.1/',
      'http://192.168.0.1/',
      'http://100.64.0.1/',
      'http://224.0.0.1/',
      'http://198.18.0.1/',
      'http://[::1]/',
      'http://[::]/',
      'http://[fd00::1]/',
      'http://[fe80::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://[2002:7f00:1::]/',
    ],
    credentials: ['https://user:password@shop.example/', 'https://user@shop.example/'],
    format: [
      'ftp://shop.example/',
      'file:///etc/passwd',
      'gopher://shop.example/',
      'shop.example/bot',
      'https://',
      'https://shop.example/\nHost: x',
    ],
    too_long: [`https://shop.example/${'x'.repeat(2048)}`],
  };

  it.each(Object.keys(HOSTILE))('A bot webhook_url is refused with %s, and nothing changes', async code => {
    const { owner } = await world.desk();
    const { id } = await createBot(owner.api, { webhook_url: HOOK });
    for (const url of HOSTILE[code] ?? []) {
      const refusal = [url, 400, 'validation_failed', [['webhook_url', code]]];
      const made = await owner.api.post('/v1/bots', { name: 'Berta', webhook_url: url });
      expect([url, ...refusalOf(made)]).toEqual(refusal);
      const changed = await owner.api.patch(`/v1/bots/${id}`, { name: 'Bert', webhook_url: url });
      expect([url, ...refusalOf(changed)]).toEqual(refusal);
    }
    expect((await listBots(owner.api)).map(bot => [bot.id, bot.webhook_url])).toEqual([[id, HOOK]]);
    expect(await readEvents(id)).toHaveLength(1);
  });

  it('A bot webhook_url is stored as given, even if its host does not resolve; its query is shown to keys alone.', async () => {
    const desk = await world.desk();
    const key = await world.apiKey(desk);
    for (const [url, shown] of [
      ['https://bots.shop.invalid:8443/Path?token=x#y', 'https://bots.shop.invalid:8443/Path'],
      ['http://93.184.215.14', 'http://93.184.215.14'],
      ['https://BÜCHER.invalid/', 'https://BÜCHER.invalid/'],
    ]) {
      const { id } = await createBot(desk.owner.api, { webhook_url: url });
      expect((await key.get(`/v1/bots/${id}`)).data.webhook_url).toBe(url);
      expect((await desk.owner.api.get(`/v1/bots/${id}`)).data.webhook_url).toBe(shown);
    }
  });

  it('A bot webhook_url is validated only for callers who may change bots (403 first)', async () => {
    const desk = await world.desk();
    const agent = await world.colleague(desk);
    const refused = await agent.api.post('/v1/bots', { name: 'Berta', webhook_url: 'http://localhost/' });
    expect([refused.status, refused.error.code]).toEqual([403, 'forbidden']);
  });
});

describe('Messages sent as a bot', () => {
  const sendAsBot = (key: Caller, id: string, bot_id: string) =>
    key.post<MessageRecord>(`/v1/conversations/${id}/messages`, { content: 'Beep', bot_id });

  it('A key can send a message in the name of a bot', async () => {
    const desk = await world.desk();
    const bot = await createBot(desk.owner.api, { name: 'Berta' });
    await route(desk, bot.id);
    const { id } = await world.conversation(await world.visitor(desk));
    const sent = await sendAsBot(await world.apiKey(desk), id, bot.id);
    expect(sent.status).toBe(201);
    expect(sent.data).toMatchObject({ sender_type: 'bot', sender_id: bot.id, sender_name: 'Berta' });
  });

  it('A key cannot send a message as a disabled bot (403), and can once the bot is enabled again', async () => {
    const desk = await world.desk();
    const key = await world.apiKey(desk);
    const bot = await createBot(desk.owner.api);
    const { id } = await world.conversation(await world.visitor(desk));
    await desk.owner.api.patch(`/v1/bots/${bot.id}`, { status: 'disabled' });
    const refused = await sendAsBot(key, id, bot.id);
    expect([refused.status, refused.error.code]).toEqual([403, 'bot_not_in_control']);
    await desk.owner.api.patch(`/v1/bots/${bot.id}`, { status: 'enabled' });
    await route(desk, bot.id);
    const { id: next } = await world.conversation(await world.visitor(desk));
    expect((await sendAsBot(key, next, bot.id)).status).toBe(201);
  });

  it('A message that a key repeats after its bot was disabled is answered with the first one (200)', async () => {
    const desk = await world.desk();
    const key = await world.apiKey(desk);
    const bot = await createBot(desk.owner.api);
    await route(desk, bot.id);
    const { id } = await world.conversation(await world.visitor(desk));
    const send = () =>
      key.post<MessageRecord>(`/v1/conversations/${id}/messages`, {
        content: 'Beep',
        bot_id: bot.id,
        client_message_id: 'beep-1',
      });
    const first = await send();
    await desk.owner.api.patch(`/v1/bots/${bot.id}`, { status: 'disabled' });
    const repeated = await send();
    expect([first.status, repeated.status, repeated.data.id]).toEqual([201, 200, first.data.id]);
  });

  it('A key cannot send a message as the system bot (400)', async () => {
    const desk = await world.desk();
    const { id } = await world.conversation(await world.visitor(desk));
    const refused = await sendAsBot(await world.apiKey(desk), id, await findSystemBot(desk));
    expect([refused.status, refused.error.code]).toEqual([400, 'sender_unknown']);
  });

  it('A message keeps the name of its deleted bot, which can send no more', async () => {
    const desk = await world.desk();
    const key = await world.apiKey(desk);
    const bot = await createBot(desk.owner.api, { name: 'Berta' });
    const visitor = await world.visitor(desk);
    await route(desk, bot.id);
    const { id } = await world.conversation(visitor);
    const { data: sent } = await sendAsBot(key, id, bot.id);
    await desk.owner.api.delete(`/v1/bots/${bot.id}`);
    expect((await readMessages(desk.owner.api, id)).find(message => message.id === sent.id)).toEqual(sent);
    const seen = await visitor.api.get<Page<MessageRecord>>(`/v1/widget/conversations/${id}/messages`);
    expect(seen.data.items.map(({ sender_name }) => sender_name)).toContain('Berta');
    const refused = await sendAsBot(key, id, bot.id);
    expect([refused.status, refused.error.code]).toEqual([400, 'sender_unknown']);
  });
});

describe('Deleting a bot', () => {
  it('A deleted bot gets 404 on every route, and its row stays with deleted_at', async () => {
    const desk = await world.desk();
    const [{ id }, other] = [await createBot(desk.owner.api), await createBot(desk.owner.api)];
    const deleted = await desk.owner.api.delete(`/v1/bots/${id}`);
    expect([deleted.status, deleted.data]).toEqual([200, { id, deleted: true }]);
    expect((await listBots(desk.owner.api)).map(bot => bot.id)).toEqual([other.id]);
    for (const answer of [
      await desk.owner.api.get(`/v1/bots/${id}`),
      await desk.owner.api.patch(`/v1/bots/${id}`, { name: 'Again' }),
      await desk.owner.api.post(`/v1/bots/${id}/rotate-secret`),
      await desk.owner.api.delete(`/v1/bots/${id}`),
    ]) {
      expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
    }
    expect(await sql('SELECT id FROM bot WHERE id = $1 AND deleted_at IS NOT NULL', [id])).toHaveLength(1);
  });

  it('Of concurrent deletions of a bot one succeeds, the others get 404', async () => {
    const { owner } = await world.desk();
    const { id } = await createBot(owner.api);
    const answers = await race(8, () => owner.api.delete(`/v1/bots/${id}`));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 404: 7 });
    expect((await readEvents(id)).map(({ type }) => type)).toEqual(['bot.created', 'bot.deleted']);
  });

  it('Deleting a bot hands its conversations over as open, with the reason in the timeline', async () => {
    const desk = await world.desk();
    const bot = await createBot(desk.owner.api);
    const led = await createBotConversations(desk, bot.id, 3);
    const socket = await world.agentSocket(desk.owner);
    await desk.owner.api.delete(`/v1/bots/${bot.id}`);
    for (const before of led) {
      const after = await handedOver(desk.owner, before.id);
      expect(after).toMatchObject({ status: 'open', control: 'human', bot_id: null, version: before.version + 1 });
      const entry = (await readMessages(desk.owner.api, before.id)).at(-1);
      expect(entry).toMatchObject({ content_type: 'event', private: true, sender_id: await findSystemBot(desk) });
      const actor = { type: 'system', id: null };
      expect(entry?.metadata).toEqual({ event: 'handed_over', reason: 'bot_deleted', actor, assignee_id: null });
      const frame = await socket.next('conversation.updated', ({ data }) => data.id === before.id);
      expect(frame.data).toMatchObject({
        actor,
        changes: {
          status: { from: 'pending', to: 'open' },
          control: { from: 'bot', to: 'human' },
          bot_id: { from: bot.id, to: null },
        },
      });
    }
    const counts = await desk.owner.api.get('/v1/conversations/counts');
    expect(counts.data).toMatchObject({ open: 3, pending: 0, unassigned: 3 });
    expect(await world.app.app.get(ConversationCountsRepairService).repair()).toBe(0);
    await socket.close();
  });

  it('Deleting a bot tells the visitor that the conversation is open, and not the reason', async () => {
    const desk = await world.desk();
    const bot = await createBot(desk.owner.api);
    const visitor = await world.visitor(desk);
    await route(desk, bot.id);
    const { id } = await world.conversation(visitor);
    const socket = await world.visitorSocket(visitor, { conv: id });
    await desk.owner.api.delete(`/v1/bots/${bot.id}`);
    const frame = await socket.next('conversation.updated');
    expect(frame.data).toEqual({ id, changes: { status: { from: 'pending', to: 'open' } } });
    await socket.settled();
    expect(JSON.stringify(socket.frames)).not.toContain('handed_over');
    expect(JSON.stringify(socket.frames)).not.toContain(bot.id);
    await socket.close();
  });

  it('Deleting a bot leaves conversations alone that other bots or agents handle or that are resolved', async () => {
    const [desk, other] = [await world.desk(), await world.desk()];
    const [bot, otherBot, foreign] = [
      await createBot(desk.owner.api),
      await createBot(desk.owner.api),
      await createBot(other.owner.api),
    ];
    const second = await world.channel(desk);
    const [ofOtherBot] = await createBotConversations(desk, otherBot.id, 1, {
      id: second.id as string,
      widgetToken: second.widget_token as string,
    });
    const [ofForeign] = await createBotConversations(other, foreign.id);
    const [taken, over] = await createBotConversations(desk, bot.id, 2);
    await desk.owner.api.post(`/v1/conversations/${taken?.id}/take`);
    await desk.owner.api.post(`/v1/conversations/${over?.id}/resolve`);
    const readAll = async () => [
      await readConversation(desk.owner, ofOtherBot?.id ?? ''),
      await readConversation(other.owner, ofForeign?.id ?? ''),
      await readConversation(desk.owner, taken?.id ?? ''),
      await readConversation(desk.owner, over?.id ?? ''),
    ];
    const before = await readAll();
    expect(before.map(({ status }) => status)).toEqual(['pending', 'pending', 'open', 'resolved']);
    const [last] = await createBotConversations(desk, bot.id);
    expect((await desk.owner.api.delete(`/v1/bots/${bot.id}`)).status).toBe(200);
    await handedOver(desk.owner, last?.id ?? '');
    expect(await readAll()).toEqual(before);
  });

  it('Deleting a bot does not hand over a conversation that an agent takes at that moment', async () => {
    const desk = await world.desk();
    const bot = await createBot(desk.owner.api);
    const [led] = await createBotConversations(desk, bot.id);
    const rowLock = await lockRowByUpdate(
      world.app.database,
      'conversation',
      led?.id ?? '',
      `status = 'open', control = 'human'`,
    );
    expect((await desk.owner.api.delete(`/v1/bots/${bot.id}`)).status).toBe(200);
    await rowLock.commit();
    await eventually(async () => {
      const waiting = await sql('SELECT FROM channel_sweep WHERE workspace_id = $1', [desk.workspaceId]);
      return waiting.length === 0 || undefined;
    }, 20_000);
    const after = await readConversation(desk.owner, led?.id ?? '');
    expect(after).toMatchObject({ status: 'open', control: 'human', version: led?.version });
    expect((await readMessages(desk.owner.api, after.id)).map(({ content_type }) => content_type)).toEqual(['text']);
    await world.app.app.get(ConversationCountsRepairService).repair();
  });

  it('Deleting a bot and sending messages at the same time do not deadlock', async () => {
    const desk = await world.desk();
    const bot = await createBot(desk.owner.api);
    const key = await world.apiKey(desk);
    const led = await createBotConversations(desk, bot.id, 6);
    const [deletion, ...sent] = await Promise.all([
      desk.owner.api.delete<unknown>(`/v1/bots/${bot.id}`),
      ...led.map(({ id }) => desk.owner.api.post<unknown>(`/v1/conversations/${id}/messages`, { content: 'Hello' })),
      ...led.map(({ id }) =>
        key.post<unknown>(`/v1/conversations/${id}/messages`, { content: 'Beep', bot_id: bot.id }),
      ),
    ]);
    expect(deletion?.status).toBe(200);
    expect(sent.filter(({ status }) => ![201, 400, 403].includes(status)).map(({ body }) => body)).toEqual([]);
    const after = await Promise.all(led.map(({ id }) => handedOver(desk.owner, id)));
    expect(countsOf(after.map(({ status }) => status))).toEqual({ open: 6 });
    expect(await world.app.app.get(ConversationCountsRepairService).repair()).toBe(0);
  });

  it('Deleting a bot removes it from channel routing and broadcasts channel.updated', async () => {
    const [desk, other] = [await world.desk(), await world.desk()];
    const [bot, otherBot] = [await createBot(desk.owner.api), await createBot(desk.owner.api)];
    const second = await world.channel(desk);
    const routed: [string, string][] = [
      [desk.channelId, bot.id],
      [second.id, otherBot.id],
      [other.channelId, (await createBot(other.owner.api)).id],
    ];
    for (const [channel, botId] of routed) {
      const routing = { mode: 'least_loaded', bot_id: botId, reassign_after_minutes: 5 };
      await sql('UPDATE channel SET routing = $2 WHERE id = $1', [channel, routing]);
    }
    const socket = await world.agentSocket(desk.owner);
    await desk.owner.api.delete(`/v1/bots/${bot.id}`);
    const routingOf = async (agent: Agent, id: string) =>
      (await agent.api.get<ChannelRecord>(`/v1/channels/${id}`)).data.routing;
    expect(await routingOf(desk.owner, desk.channelId)).toMatchObject({ mode: 'least_loaded', bot_id: null });
    expect(await routingOf(desk.owner, second.id)).toMatchObject({ mode: 'least_loaded', bot_id: otherBot.id });
    expect(await routingOf(other.owner, other.channelId)).toMatchObject({ bot_id: routed[2]?.[1] });
    const frame = await socket.next('channel.updated');
    expect(frame.data).toMatchObject({ id: desk.channelId, routing: { mode: 'least_loaded', bot_id: null } });
    await socket.settled();
    expect(socket.of('channel.updated')).toHaveLength(1);
    await socket.close();
  });

  it('A handoff that fails after a bot was deleted is tried again until it succeeds.', async () => {
    const desk = await world.desk();
    const bot = await createBot(desk.owner.api);
    const [led] = await createBotConversations(desk, bot.id);
    await sql(`ALTER TABLE message ADD CONSTRAINT ck_planted CHECK (metadata ->> 'reason' <> 'bot_deleted') NOT VALID`);
    expect((await desk.owner.api.delete(`/v1/bots/${bot.id}`)).status).toBe(200);
    await eventually(() => logLines.some(line => line.includes('ck_planted')) || undefined);
    expect(await readConversation(desk.owner, led?.id ?? '')).toEqual(led);
    await sql('ALTER TABLE message DROP CONSTRAINT ck_planted');
    expect(await handedOver(desk.owner, led?.id ?? '')).toMatchObject({ control: 'human', bot_id: null });
  });
});

describe('Bot events', () => {
  it('Bot events are broadcast to the agents of the workspace, without secrets, and to no visitor', async () => {
    const [desk, other] = [await world.desk(), await world.desk()];
    const narrow = await world.colleague(desk, { channel_ids: [] });
    const visitor = await world.visitor(desk);
    const sockets = [
      await world.agentSocket(desk.owner),
      await world.agentSocket(narrow),
      await world.agentSocket(other.owner),
      await world.visitorSocket(visitor),
    ];
    const { secret: _secret, ...made } = await createBot(desk.owner.api, { name: 'Berta', webhook_url: HOOK });
    const path = `/v1/bots/${made.id}`;
    const changed = (await desk.owner.api.patch<BotRecord>(path, { name: 'Bert' })).data;
    const { secret: _rotated, ...rotated } = (await desk.owner.api.post<WithSecret>(`${path}/rotate-secret`)).data;
    await desk.owner.api.delete(path);
    const received: [string, unknown][][] = [];
    for (const socket of sockets) {
      if (received.length < 2) await socket.next('bot.deleted');
      await socket.settled();
      received.push(socket.frames.filter(({ type }) => type.startsWith('bot.')).map(({ type, data }) => [type, data]));
      await socket.close();
    }
    const expected = [
      ['bot.created', made],
      ['bot.updated', changed],
      ['bot.deleted', { ...rotated, updated_at: expect.any(String) }],
    ];
    expect(received).toEqual([expected, expected, [], []]);
  });

  it('Bot events record the actor, the origin of the request and a snapshot of the bot', async () => {
    const desk = await world.desk();
    const key = await world.apiKey(desk);
    const [me] = (await desk.owner.api.get('/v1/api-keys')).data.items as { id: string }[];
    const from = { 'User-Agent': 'backend/7' };
    const { secret: _secret, ...made } = (await key.post<WithSecret>('/v1/bots', { name: 'Berta' }, from)).data;
    const path = `/v1/bots/${made.id}`;
    await desk.owner.api.patch(path, { webhook_url: HOOK }, from);
    await desk.owner.api.post(`${path}/rotate-secret`, undefined, from);
    await key.delete(path, from);
    const log = await readEvents(made.id);
    const byKey = { type: 'api_key', id: me?.id };
    const byOwner = { type: 'member', id: desk.owner.memberId };
    expect(log.map(({ type, actor }) => [type, actor])).toEqual([
      ['bot.created', byKey],
      ['bot.updated', byOwner],
      ['bot.secret_rotated', byOwner],
      ['bot.deleted', byKey],
    ]);
    expect(log[0]?.payload).toEqual(made);
    expect(log.map(({ payload }) => payload.webhook_url)).toEqual([null, HOOK, HOOK, HOOK]);
    for (const { address, user_agent, payload } of log) {
      expect([address, user_agent]).toEqual([expect.stringContaining('127.0.0.1'), 'backend/7']);
      expect(Object.keys(payload)).not.toContain('secret');
    }
  });

  it('An update that changes nothing records no bot event', async () => {
    const { owner } = await world.desk();
    const { id, name, updated_at } = await createBot(owner.api, { webhook_url: HOOK });
    world.app.clock.advance(60);
    for (const body of [{}, { name, webhook_url: HOOK, history_count: 10, description: null }]) {
      const answer = await owner.api.patch<BotRecord>(`/v1/bots/${id}`, body);
      expect([answer.status, answer.data.updated_at]).toEqual([200, updated_at]);
    }
    expect((await readEvents(id)).map(({ type }) => type)).toEqual(['bot.created']);
  });
});
