import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import { countsOf, race } from '../support/race.js';
import type { Agent, Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

interface Row {
  id: string;
  name: string;
}

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(() => world.app.clock.reset());
afterAll(() => world.stop());

function email(): string {
  return `${unique('person')}@example.com`;
}

function faults({ status, error }: Answer): [number, string[]] {
  return [status, (error.details ?? []).map(({ field }) => field)];
}

async function namesIn(api: Caller, path: string): Promise<string[]> {
  return ((await api.get(path)).data.items as Row[]).map(({ name }) => name);
}

describe('The workspace', () => {
  it('Every agent and key can read the workspace; only admins and keys can change it', async () => {
    const desk = await world.desk();
    const agent = await world.colleague(desk);
    const admin = await world.colleague(desk, { role: 'admin' });
    const key = await world.apiKey(desk);
    for (const api of [agent.api, admin.api, key])
      expect((await api.get('/v1/workspace')).data.id).toBe(desk.workspaceId);
    for (const api of [admin.api, key]) {
      const name = unique('Renamed');
      expect((await api.patch('/v1/workspace', { name })).data.name).toBe(name);
      expect((await agent.api.get('/v1/workspace')).data.name).toBe(name);
    }
    const refused = await agent.api.patch('/v1/workspace', { name: 'No' });
    expect(refused).toMatchObject({ status: 403, error: { code: 'forbidden' } });
  });

  it('An admin limited to some channels cannot change the workspace (403 scope_too_narrow)', async () => {
    const desk = await world.desk();
    const admin = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    const refused = await admin.api.patch('/v1/workspace', { name: 'No' });
    expect(refused).toMatchObject({ status: 403, error: { code: 'scope_too_narrow' } });
  });

  it('Unknown fields of business hours are dropped', async () => {
    const { owner } = await world.desk();
    const hours = { mon: [{ from: '09:00', to: '17:00', note: 'x'.repeat(10_000) }] };
    const { data } = await owner.api.patch('/v1/workspace', { business_hours: hours });
    expect(data.business_hours).toEqual({ mon: [{ from: '09:00', to: '17:00' }] });
  });

  it('Business hours have nights and holidays, for a workspace and for a channel', async () => {
    const { owner, channelId } = await world.desk();
    const hours = {
      fri: [{ from: '20:00', to: '02:00' }],
      holidays: [
        { date: '2026-12-25', name: 'Christmas Day' },
        { date: '2026-12-31', hours: [{ from: '09:00', to: '12:00' }] },
      ],
    };
    for (const path of ['/v1/workspace', `/v1/channels/${channelId}`]) {
      expect((await owner.api.patch(path, { business_hours: hours })).data.business_hours).toEqual(hours);
      expect((await owner.api.get(path)).data.business_hours).toEqual(hours);
    }
  });

  it('A change of the workspace keeps the fields it does not name, and null clears one', async () => {
    const { owner } = await world.desk();
    const hours = { mon: [{ from: '09:00', to: '12:30' }], sun: [] };
    await owner.api.patch('/v1/workspace', { timezone: 'Europe/Berlin', locale: 'de', business_hours: hours });
    const named = await owner.api.patch('/v1/workspace', { name: 'Bäckerei' });
    const kept = { name: 'Bäckerei', timezone: 'Europe/Berlin', locale: 'de', business_hours: hours };
    expect(named.data).toMatchObject(kept);
    const cleared = await owner.api.patch('/v1/workspace', { business_hours: null });
    expect(cleared.data).toMatchObject({ ...kept, business_hours: null });
  });

  it.each([
    ['name', ''],
    ['name', null],
    ['name', 'half a \ud800'],
    ['timezone', 'Mars/Olympus'],
    ['timezone', null],
    ['locale', 'not a locale'],
    ['business_hours', { mon: [{ from: '09:00', to: '09:00' }] }],
    ['business_hours', { holidays: [{ date: '2026-02-30' }] }],
    ['business_hours', { someday: [] }],
    ['business_hours', 'always'],
  ])('A workspace is refused (400) with the %s %j', async (field, value) => {
    const { owner } = await world.desk();
    expect(faults(await owner.api.patch('/v1/workspace', { [field]: value }))).toEqual([400, [field]]);
  });

  it('Two racing changes of a workspace both take effect', async () => {
    const { owner, workspaceId } = await world.desk();
    const lock = await lockRowByUpdate(world.app.database, 'workspace', workspaceId, `locale = 'fr'`);
    const change = owner.api.patch('/v1/workspace', { name: 'Boulangerie' });
    await lock.awaited();
    await lock.commit();
    expect((await change).data).toMatchObject({ name: 'Boulangerie', locale: 'fr' });
  });
});

describe('Channels', () => {
  const SECRET = /^ids_[\w-]{43}$/;

  it('A new channel has the documented defaults', async () => {
    const { owner } = await world.desk();
    const made = await owner.api.post('/v1/channels', { name: 'Shop' });
    expect(made.status).toBe(201);
    expect(made.data).toMatchObject({
      name: 'Shop',
      type: 'widget',
      status: 'active',
      allowed_origins: [],
      identity_verification: 'optional',
      routing: { mode: 'manual', bot_id: null, reassign_after_minutes: null },
      single_conversation: true,
      reopen_window_hours: 72,
      auto_resolve_hours: null,
      business_hours: null,
    });
    expect(made.data.widget_token).toMatch(/^wt_[A-Za-z0-9]{32}$/);
  });

  it('A channel’s identity secret is shown at creation and rotation only', async () => {
    const { owner } = await world.desk();
    const socket = await world.agentSocket(owner);
    const made = await owner.api.post('/v1/channels', { name: 'Shop' });
    const path = `/v1/channels/${made.data.id}`;
    expect(made.data.identity_secret).toMatch(SECRET);
    const rotated = await owner.api.post(`${path}/rotate-identity-secret`);
    expect(rotated.data.identity_secret).toMatch(SECRET);
    expect(rotated.data.identity_secret).not.toBe(made.data.identity_secret);
    const seen = [
      await owner.api.get(path),
      await owner.api.get('/v1/channels'),
      await owner.api.patch(path, { name: 'Store' }),
      await owner.api.post(`${path}/rotate-token`),
    ];
    await socket.next('channel.updated');
    expect(JSON.stringify([seen.map(({ body }) => body), socket.frames])).not.toMatch(/identity_secret|ids_/);
  });

  it('Every agent can read channels; only admins and keys can create, change and delete them', async () => {
    const desk = await world.desk();
    const agent = await world.colleague(desk);
    expect((await agent.api.get(`/v1/channels/${desk.channelId}`)).status).toBe(200);
    const path = `/v1/channels/${desk.channelId}`;
    const writes: Promise<Answer>[] = [
      agent.api.post('/v1/channels', { name: 'No' }),
      agent.api.patch(path, { name: 'No' }),
      agent.api.post(`${path}/rotate-token`),
      agent.api.post(`${path}/rotate-identity-secret`),
      agent.api.delete(path),
    ];
    for (const { status, error } of await Promise.all(writes)) expect([status, error.code]).toEqual([403, 'forbidden']);
    for (const api of [(await world.colleague(desk, { role: 'admin' })).api, await world.apiKey(desk)]) {
      const made = await api.post('/v1/channels', { name: unique('Shop') });
      expect((await api.patch(`/v1/channels/${made.data.id}`, { csat_enabled: true })).data.csat_enabled).toBe(true);
      expect((await api.delete(`/v1/channels/${made.data.id}`)).data).toEqual({ id: made.data.id, deleted: true });
    }
  });

  it('An agent sees only the channels of its scope (404 otherwise)', async () => {
    const desk = await world.desk();
    const [mine, other] = [await world.channel(desk, { name: 'Mine' }), await world.channel(desk, { name: 'Other' })];
    const agent = await world.colleague(desk, { channel_ids: [mine.id] });
    expect(await namesIn(agent.api, '/v1/channels')).toEqual(['Mine']);
    expect((await agent.api.get(`/v1/channels/${other.id}`)).error.code).toBe('not_found');
  });

  it('A change of a channel keeps the fields it does not name, also inside `widget_config`', async () => {
    const desk = await world.desk();
    const path = `/v1/channels/${desk.channelId}`;
    const before = (await desk.owner.api.get(path)).data;
    const changes = {
      auto_resolve_hours: 48,
      allowed_origins: ['https://Shop.example', 'http://localhost:5173'],
      widget_config: { theme: { primary_color: '#00ff00' }, pre_chat_form: { enabled: true } },
    };
    const after = (await desk.owner.api.patch(path, changes)).data;
    expect(after).toEqual({
      ...before,
      updated_at: after.updated_at,
      auto_resolve_hours: 48,
      allowed_origins: ['https://shop.example', 'http://localhost:5173'],
      widget_config: {
        ...before.widget_config,
        theme: { ...before.widget_config.theme, primary_color: '#00ff00' },
        pre_chat_form: { enabled: true, fields: [] },
      },
    });
    expect((await desk.owner.api.patch(path, { auto_resolve_hours: null })).data.auto_resolve_hours).toBeNull();
  });

  it.each([
    ['name', null],
    ['status', 'deleted'],
    ['allowed_origins', ['https://shop.example/path']],
    ['allowed_origins', ['shop.example']],
    ['allowed_origins', null],
    ['identity_verification', 'sometimes'],
    ['routing.mode', { mode: 'random' }],
    ['reopen_window_hours', -1],
    ['reopen_window_hours', 1.5],
    ['reopen_window_hours', '72'],
    ['auto_resolve_hours', 0],
    ['single_conversation', 'yes'],
    ['widget_config.theme.primary_color', { theme: { primary_color: 'red' } }],
    ['widget_config.theme.logo_url', { theme: { logo_url: 'javascript:alert(1)' } }],
    [
      'widget_config.pre_chat_form.fields[0].key',
      { pre_chat_form: { fields: [{ label: 'L', type: 'text', required: true }] } },
    ],
  ])('A channel is refused (400) with the %s %j', async (field, value) => {
    const desk = await world.desk();
    const body = { [field.split('.')[0] ?? '']: value };
    expect(faults(await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, body))).toEqual([400, [field]]);
  });

  it('A channel cannot be created with null fields (400)', async () => {
    const { owner } = await world.desk();
    const answer = await owner.api.post('/v1/channels', {
      name: 'Shop',
      auto_resolve_hours: null,
      business_hours: null,
      widget_config: { title: null, theme: { logo_url: null, mode: null } },
    });
    expect(faults(answer)).toEqual([
      400,
      [
        'auto_resolve_hours',
        'business_hours',
        'widget_config.theme.logo_url',
        'widget_config.theme.mode',
        'widget_config.title',
      ],
    ]);
  });

  it('A channel’s logo can be set at creation or later, and cleared with null', async () => {
    const { owner } = await world.desk();
    const theme = (logo: string | null) => ({ widget_config: { theme: { logo_url: logo } } });
    const made = await owner.api.post('/v1/channels', { name: 'Shop', ...theme('https://shop.example/logo.png') });
    expect([made.status, made.data.widget_config.theme.logo_url]).toEqual([201, 'https://shop.example/logo.png']);
    const path = `/v1/channels/${made.data.id as string}`;
    for (const logo of [null, 'https://shop.example/other.png']) {
      const changed = await owner.api.patch(path, theme(logo));
      expect([changed.status, changed.data.widget_config.theme.logo_url]).toEqual([200, logo]);
    }
    expect(faults(await owner.api.post('/v1/channels', { name: 'Shop', ...theme('javascript:alert(1)') }))).toEqual([
      400,
      ['widget_config.theme.logo_url'],
    ]);
  });

  it('Deleting a channel ends its visitors’ sessions and keeps its conversations readable', async () => {
    const desk = await world.desk();
    const channel = await world.channel(desk);
    const visitor = await world.visitor({ widgetToken: channel.widget_token });
    const conversation = await world.conversation(visitor, 'Are you closing?');
    const path = `/v1/channels/${channel.id}`;
    expect((await desk.owner.api.delete(path)).status).toBe(200);

    expect((await visitor.api.get('/v1/widget/contact')).error.code).toBe('token_revoked');
    const session = await visitor.api.post('/v1/widget/session', { widget_token: channel.widget_token });
    expect(session.error.code).toBe('widget_token_invalid');
    const history = await desk.owner.api.get(`/v1/conversations/${conversation.id}/messages`);
    expect(history.data.items.map(({ content }: { content: string }) => content)).toContain('Are you closing?');

    const gone = [
      await desk.owner.api.get(path),
      await desk.owner.api.patch(path, { name: 'Back' }),
      await desk.owner.api.post(`${path}/rotate-token`),
      await desk.owner.api.delete(path),
    ];
    expect(gone.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(await namesIn(desk.owner.api, '/v1/channels')).not.toContain(channel.name);
  });

  it('A disabled channel admits no visitor', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const path = `/v1/channels/${desk.channelId}`;
    await desk.owner.api.patch(path, { status: 'disabled' });
    expect((await visitor.api.get('/v1/widget/contact')).error.code).toBe('token_revoked');
    const open = () => world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken });
    expect((await open()).error.code).toBe('widget_token_invalid');
    await desk.owner.api.patch(path, { status: 'active' });
    expect((await open()).status).toBe(200);
  });

  it('After a rotation only the new widget token opens sessions, and existing sessions stay valid', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const rotated = await desk.owner.api.post(`/v1/channels/${desk.channelId}/rotate-token`);
    const stale = await world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken });
    expect(stale.error.code).toBe('widget_token_invalid');
    expect((await world.visitor({ widgetToken: rotated.data.widget_token })).contactId).toBeTruthy();
    expect((await visitor.api.get('/v1/widget/contact')).status).toBe(200);
  });

  it('A channel stays deleted when a change races with its deletion', async () => {
    const desk = await world.desk();
    const channel = await world.channel(desk);
    const lock = await lockRowByUpdate(
      world.app.database,
      'channel',
      channel.id,
      `deleted_at = now(), status = 'disabled'`,
    );
    const change = desk.owner.api.patch(`/v1/channels/${channel.id}`, { name: 'Back' });
    await lock.awaited();
    await lock.commit();
    expect((await change).status).toBe(404);
    expect((await desk.owner.api.get(`/v1/channels/${channel.id}`)).status).toBe(404);
  });
});

describe('Members', () => {
  const path = '/v1/workspace/members';
  let desk: Desk;
  let key: Caller;
  beforeAll(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
  });

  const rowsOf = (address: string) =>
    world.app.database.query(`SELECT 1 FROM member JOIN user_account u ON u.id = user_id WHERE u.email = $1`, [
      address,
    ]);

  it('A key creates a member who is by default an agent of all channels', async () => {
    const address = email();
    const made = await key.post(path, { email: address.toUpperCase(), name: 'Adam' });
    expect(made.status).toBe(201);
    expect(made.data).toMatchObject({
      email: address.toLowerCase(),
      name: 'Adam',
      role: 'agent',
      status: 'active',
      availability: 'offline',
      channel_ids: null,
      avatar_url: null,
      last_seen_at: null,
    });
    const limited = await key.post(path, { email: email(), name: 'Ada', role: 'admin', channel_ids: [desk.channelId] });
    expect(limited.data).toMatchObject({ role: 'admin', channel_ids: [desk.channelId] });
    expect((await key.post(path, { email: email(), name: 'Nemo', channel_ids: [] })).data.channel_ids).toEqual([]);
  });

  it('Only an API key can create a member (401 api_key_required)', async () => {
    const visitor = await world.visitor(desk);
    for (const api of [desk.owner.api, visitor.api]) {
      const refused = await api.post(path, { email: email(), name: 'Adam' });
      expect(refused).toMatchObject({ status: 401, error: { code: 'api_key_required' } });
    }
    expect((await world.anyone.post(path, {})).error.code).toBe('unauthenticated');
  });

  it('Every agent and key can read members', async () => {
    const agent = await world.colleague(desk);
    for (const api of [agent.api, key, desk.owner.api]) {
      expect((await api.get(`${path}/${agent.memberId}`)).data).toMatchObject({
        id: agent.memberId,
        email: agent.email,
      });
      const { items } = (await api.get(`${path}?limit=200`)).data;
      expect((items as Row[]).map(({ id }) => id)).toEqual(
        expect.arrayContaining([agent.memberId, desk.owner.memberId]),
      );
    }
  });

  it('A second member with the same e-mail is refused: 409 member_exists, or member_deactivated', async () => {
    const address = email();
    const made = await key.post(path, { email: address, name: 'Adam' });
    expect(await key.post(path, { email: address, name: 'Adam' })).toMatchObject({
      status: 409,
      error: { code: 'member_exists' },
    });
    await world.app.database.query(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [made.data.id]);
    expect(await key.post(path, { email: address, name: 'Adam' })).toMatchObject({
      status: 409,
      error: { code: 'member_deactivated' },
    });
  });

  it('Racing creations of one member without an Idempotency-Key make one member', async () => {
    const address = email();
    const answers = await race(8, () => key.post(path, { email: address, name: 'Adam' }));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 7 });
    expect(answers.filter(({ status }) => status === 409).every(({ error }) => error.code === 'member_exists')).toBe(
      true,
    );
    expect(await rowsOf(address)).toHaveLength(1);
  });

  it('Racing workspaces that create members of one new e-mail make one user', async () => {
    const others = await Promise.all([1, 2, 3, 4].map(async () => world.apiKey(await world.desk())));
    const address = email();
    const answers = await Promise.all(others.map(api => api.post(path, { email: address, name: 'Adam' })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ data }) => data.user_id)).size).toBe(1);
  });

  it('A key cannot create an owner (403 role_too_high)', async () => {
    const refused = await key.post(path, { email: email(), name: 'Adam', role: 'owner' });
    expect(refused).toMatchObject({ status: 403, error: { code: 'role_too_high' } });
  });

  it('A member cannot be limited to a deleted channel or one of another workspace (400)', async () => {
    const foreign = await world.desk();
    const deleted = await world.channel(desk);
    await desk.owner.api.delete(`/v1/channels/${deleted.id}`);
    for (const id of [foreign.channelId, deleted.id]) {
      const refused = await key.post(path, { email: email(), name: 'Adam', channel_ids: [desk.channelId, id] });
      expect(refused).toMatchObject({ status: 400, error: { code: 'validation_failed' } });
    }
  });

  it.each([
    ['email', 'nobody'],
    ['email', null],
    ['name', ''],
    ['role', 'god'],
    ['password', 'short'],
    ['channel_ids', ['x']],
    ['channel_ids', null],
  ])('A member is refused (400) with the %s %j', async (field, value) => {
    const body = { email: email(), name: 'Adam', [field]: value };
    expect(faults(await key.post(path, body))).toEqual([400, [field]]);
  });

  it('A member is refused (400) with a channel listed twice', async () => {
    const body = { email: email(), name: 'Adam', channel_ids: [desk.channelId, desk.channelId] };
    expect(faults(await key.post(path, body))).toEqual([400, ['channel_ids']]);
  });

  describe('Members changing themselves', () => {
    let agent: Agent;
    beforeAll(async () => {
      agent = await world.colleague(desk);
    });

    it('A member can change its own name, picture and availability', async () => {
      const changes = { name: 'Eve', avatar_url: 'https://example.com/eve.png', availability: 'away' };
      expect((await agent.api.patch(`${path}/me`, changes)).data).toMatchObject({ id: agent.memberId, ...changes });
      expect((await agent.api.patch(`${path}/me`, { avatar_url: null })).data).toMatchObject({
        ...changes,
        avatar_url: null,
      });
    });

    it('A member cannot change its own role, status, channels, capacity or e-mail', async () => {
      const changes = { role: 'owner', status: 'deactivated', channel_ids: [], capacity: 99, email: email() };
      const { data } = await agent.api.patch(`${path}/me`, changes);
      expect(data).toMatchObject({
        role: 'agent',
        status: 'active',
        channel_ids: null,
        capacity: 10,
        email: agent.email,
      });
    });

    it.each([
      ['name', null],
      ['avatar_url', 'javascript:alert(1)'],
      ['availability', 'invisible'],
    ])('A member’s change of itself is refused (400) with the %s %j', async (field, value) => {
      expect(faults(await agent.api.patch(`${path}/me`, { [field]: value }))).toEqual([400, [field]]);
    });

    it('An API key cannot use /members/me (agent_token_required)', async () => {
      expect((await key.patch(`${path}/me`, { name: 'Key' })).error.code).toBe('agent_token_required');
    });

    it('A member stays deactivated when its own change races with the deactivation', async () => {
      const leaving = await world.colleague(desk);
      const lock = await lockRowByUpdate(world.app.database, 'member', leaving.memberId, `status = 'deactivated'`);
      const change = leaving.api.patch(`${path}/me`, { name: 'Still here' });
      await lock.awaited();
      await lock.commit();
      await change;
      expect((await desk.owner.api.get(`${path}/${leaving.memberId}`)).data.status).toBe('deactivated');
    });
  });
});

describe('Idempotency-Key', () => {
  const path = '/v1/workspace/members';
  let key: Caller;
  beforeAll(async () => {
    key = await world.apiKey(await world.desk());
  });

  const create = (idempotencyKey: string, body: Record<string, unknown>, api = key) =>
    api.post(path, { name: 'Adam', ...body }, { 'Idempotency-Key': idempotencyKey });

  it('Eight racing creations with one Idempotency-Key make one member, and a retry gets the first answer', async () => {
    const [idempotencyKey, body] = [unique('idem'), { email: email() }];
    const answers = await race(8, () => create(idempotencyKey, body));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(made.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ status: 409, error: { code: 'idempotency_in_progress' } });
    }
    const again = await create(idempotencyKey, body);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    for (const answer of made) expect(answer.data).toEqual(again.data);
  });

  it('A repeated Idempotency-Key with another body is refused (422)', async () => {
    const idempotencyKey = unique('idem');
    await create(idempotencyKey, { email: email() });
    const reused = await create(idempotencyKey, { email: email() });
    expect(reused).toMatchObject({ status: 422, error: { code: 'idempotency_key_reused' } });
  });

  it('An Idempotency-Key also replays a conflict (409)', async () => {
    const [idempotencyKey, address] = [unique('idem'), email()];
    const made = await key.post(path, { email: address, name: 'Adam' });
    expect((await create(idempotencyKey, { email: address })).error.code).toBe('member_exists');
    await world.app.database.query('DELETE FROM member WHERE id = $1', [made.data.id]);
    const again = await create(idempotencyKey, { email: address });
    expect([again.status, again.error.code, again.headers['idempotency-replayed']]).toEqual([
      409,
      'member_exists',
      'true',
    ]);
  });

  it('An Idempotency-Key does not replay a 403', async () => {
    const idempotencyKey = unique('idem');
    const body = { email: email(), role: 'owner' };
    for (const attempt of [1, 2]) {
      const refused = await create(idempotencyKey, body);
      expect([attempt, refused.status, refused.headers['idempotency-replayed']]).toEqual([attempt, 403, undefined]);
    }
  });

  it('An Idempotency-Key is valid per caller and path', async () => {
    const desk = await world.desk();
    const [mine, otherKey] = [await world.apiKey(desk), await world.apiKey(desk)];
    const [idempotencyKey, address] = [unique('idem'), email()];
    expect((await create(idempotencyKey, { email: address }, mine)).status).toBe(201);
    const other = await create(idempotencyKey, { email: address }, otherKey);
    expect([other.status, other.error.code]).toEqual([409, 'member_exists']);
    const contact = await mine.post('/v1/contacts', { name: 'Carla' }, { 'Idempotency-Key': idempotencyKey });
    expect(contact.status).toBe(201);
  });

  it('An Idempotency-Key replays nothing to a caller whose key was revoked', async () => {
    const desk = await world.desk();
    const [mine, idempotencyKey, body] = [await world.apiKey(desk), unique('idem'), { email: email() }];
    await create(idempotencyKey, body, mine);
    const { items } = (await desk.owner.api.get('/v1/api-keys')).data;
    await desk.owner.api.delete(`/v1/api-keys/${(items as Row[])[0]?.id}`);
    expect((await create(idempotencyKey, body, mine)).error.code).toBe('invalid_token');
  });

  it('An Idempotency-Key is valid for a day', async () => {
    const [idempotencyKey, body] = [unique('idem'), { name: 'Carla' }];
    const create = () => key.post('/v1/contacts', body, { 'Idempotency-Key': idempotencyKey });
    const first = await create();
    const age = (hours: number) =>
      world.app.database.query(`UPDATE kept_answer SET created_at = clock_timestamp() - $1 * interval '1 hour'`, [
        hours,
      ]);
    await age(23.9);
    expect((await create()).data.id).toBe(first.data.id);
    await age(24.1);
    expect((await create()).data.id).not.toBe(first.data.id);
    expect((await create()).headers['idempotency-replayed']).toBe('true');
  });

  it('Idempotency keys and their answers are not stored in plain text', async () => {
    const [idempotencyKey, address] = [unique('idem'), email()];
    await create(idempotencyKey, { email: address });
    const rows = await world.app.database.query('SELECT * FROM kept_answer');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(idempotencyKey);
    expect(JSON.stringify(rows)).not.toContain(address);
  });

  it.each([
    ['empty', ''],
    ['256 characters', 'x'.repeat(256)],
    ['characters outside ASCII', 'schlüssel'],
  ])('An invalid Idempotency-Key is refused (400): %s', async (_case, bad) => {
    const answer = await create(bad, { email: email() });
    expect(answer).toMatchObject({ status: 400, error: { code: 'idempotency_key_invalid' } });
  });

  it('An Idempotency-Key can have 255 characters', async () => {
    expect((await create(unique('k').padEnd(255, 'k'), { email: email() })).status).toBe(201);
  });
});

describe('Contacts', () => {
  let desk: Desk;
  let api: Caller;
  beforeAll(async () => {
    desk = await world.desk();
    api = (await world.colleague(desk)).api;
  });

  it('Every agent and key can create and change contacts', async () => {
    for (const caller of [api, await world.apiKey(desk)]) {
      const details = {
        external_id: unique('user'),
        name: 'Carla',
        email: 'Carla@Example.com',
        phone: '+49 30 1234',
        avatar_url: 'https://example.com/carla.png',
        locale: 'pt-BR',
        timezone: 'America/Sao_Paulo',
        custom_attributes: { planName: 'pro', nested: { Seats: [1, null, 'x'] } },
      };
      const made = await caller.post('/v1/contacts', details);
      expect(made.status).toBe(201);
      const expected = { ...details, email: 'carla@example.com', verified: false, blocked: false, last_seen_at: null };
      expect(made.data).toMatchObject(expected);
      const path = `/v1/contacts/${made.data.id}`;
      const changed = await caller.patch(path, { name: 'Carlota', phone: null, external_id: null });
      expect(changed.data).toMatchObject({ ...expected, name: 'Carlota', phone: null, external_id: null });
      expect((await caller.get(path)).data).toEqual(changed.data);
    }
  });

  it('A contact’s e-mail domain outside ASCII is stored as Punycode', async () => {
    const made = await api.post('/v1/contacts', { email: ' Ute@Bücher.Example' });
    expect(made.data.email).toBe('ute@xn--bcher-kva.example');
  });

  it('A second contact with the same external_id is refused (409)', async () => {
    const externalId = unique('user');
    const made = await api.post('/v1/contacts', { external_id: externalId });
    const taken = await api.post('/v1/contacts', { external_id: externalId });
    expect(taken).toMatchObject({ status: 409, error: { code: 'external_id_taken' } });
    const other = await api.post('/v1/contacts', { external_id: unique('user') });
    const moved = await api.patch(`/v1/contacts/${other.data.id}`, { external_id: externalId });
    expect(moved).toMatchObject({ status: 409, error: { code: 'external_id_taken' } });
    expect((await api.patch(`/v1/contacts/${made.data.id}`, { external_id: externalId })).status).toBe(200);
    const elsewhere = await world.desk();
    expect((await elsewhere.owner.api.post('/v1/contacts', { external_id: externalId })).status).toBe(201);
  });

  it('Racing creations of contacts with one external_id make one contact', async () => {
    const body = { external_id: unique('user') };
    const answers = await race(8, () => api.post('/v1/contacts', body));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 7 });
  });

  it('Contacts are listed newest first and found by parts of name, e-mail and phone, and by the whole external_id', async () => {
    const { owner } = await world.desk();
    const contacts = [
      { name: 'Ana 100% sure', email: 'first@alpha.example' },
      { name: 'Bert_Bo', phone: '+49 170 777' },
      { name: 'Cleo', external_id: 'crm-4711' },
    ];
    for (const person of contacts) await owner.api.post('/v1/contacts', person);
    const [ana, bert, cleo] = contacts.map(({ name }) => name);
    const found = (query: string) => namesIn(owner.api, `/v1/contacts?query=${encodeURIComponent(query)}`);
    expect(await namesIn(owner.api, '/v1/contacts')).toEqual([cleo, bert, ana]);
    expect(await found('ana')).toEqual([ana]);
    expect(await found('ALPHA')).toEqual([ana]);
    expect(await found('170')).toEqual([bert]);
    expect(await found('crm-4711')).toEqual([cleo]);
    expect(await found('471')).toEqual([]);
    expect(await found('%')).toEqual([ana]);
    expect(await found('t_b')).toEqual([bert]);
    expect(await found('\\')).toEqual([]);
    expect(await found('nobody')).toEqual([]);
    expect((await owner.api.get('/v1/contacts?query=')).status).toBe(400);
  });

  it('A contact is found by any part of its e-mail address, before, across and after the @', async () => {
    const { owner } = await world.desk();
    const emails = ['jo.ann_lee+a%b@shop.example', 'ann_lee@shop.example', 'annxlee@shop.example', 'lee@anna.example'];
    for (const email of emails) expect((await owner.api.post('/v1/contacts', { email })).status).toBe(201);
    // a name that looks like an address is found by parts of it, too
    await owner.api.post('/v1/contacts', { name: 'Known as lee@shop' });
    const found = async (query: string) => {
      const { data } = await owner.api.get(`/v1/contacts?query=${encodeURIComponent(query)}`);
      return (data.items as { name: string; email: string | null }[]).map(({ name, email }) => email ?? name).sort();
    };
    const [jo, ann, anx, lee] = emails as [string, string, string, string];
    expect(await found('ann_lee@shop.example')).toEqual([ann]);
    expect(await found('ANN_LEE+A%B@SHOP')).toEqual([jo]);
    expect(await found('lee@shop.example')).toEqual([ann, anx]);
    expect(await found('lee@')).toEqual(['Known as lee@shop', ann, anx, lee].sort());
    expect(await found('@shop')).toEqual(['Known as lee@shop', jo, ann, anx].sort());
    expect(await found('@')).toHaveLength(5);
    expect(await found('e@a')).toEqual([lee]);
    expect(await found('lee@shop@')).toEqual([]);
    expect(await found('%@shop')).toEqual([]);
    expect(await found('\\@shop')).toEqual([]);
  });

  it('An agent limited to some channels sees only the contacts of those', async () => {
    const shop = await world.channel(desk);
    const limited = await world.colleague(desk, { channel_ids: [shop.id] });
    const inside = await world.visitor({ widgetToken: shop.widget_token });
    const outside = await world.visitor(desk);
    expect((await limited.api.get(`/v1/contacts/${inside.contactId}`)).status).toBe(200);
    expect((await limited.api.get(`/v1/contacts/${outside.contactId}`)).status).toBe(404);
    expect((await limited.api.patch(`/v1/contacts/${outside.contactId}`, { name: 'X' })).status).toBe(404);
    const listed = ((await limited.api.get('/v1/contacts')).data.items as Row[]).map(({ id }) => id);
    expect(listed).toEqual([inside.contactId]);
  });

  it('A change of a contact’s details cannot block, verify or move it', async () => {
    const made = await api.post('/v1/contacts', { name: 'Carla', blocked: true, verified: true });
    expect(made.data).toMatchObject({ blocked: false, verified: false });
    const changed = await api.patch(`/v1/contacts/${made.data.id}`, {
      blocked: true,
      verified: true,
      workspace_id: desk.channelId,
    });
    expect(changed.data).toMatchObject({ blocked: false, verified: false });
  });

  it('A contact stays blocked when a change races with the block', async () => {
    const made = await api.post('/v1/contacts', { name: 'Carla' });
    const lock = await lockRowByUpdate(world.app.database, 'contact', made.data.id as string, 'blocked = true');
    const change = api.patch(`/v1/contacts/${made.data.id}`, { name: 'Carlota' });
    await lock.awaited();
    await lock.commit();
    expect((await change).data).toMatchObject({ name: 'Carlota', blocked: true });
  });

  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`key${n}`, n]));
  const deep = JSON.parse(`${'{"deep":'.repeat(12)}1${'}'.repeat(12)}`) as object;
  it.each([
    ['an e-mail whose local part leaves ASCII', 'email', 'josé@example.com'],
    ['an empty name', 'name', ''],
    ['a phone number of 51 characters', 'phone', '1'.repeat(51)],
    ['a picture that is not on the web', 'avatar_url', 'ftp://example.com/x'],
    ['a time zone of nowhere', 'timezone', 'Nowhere'],
    ['attributes that are no object', 'custom_attributes', []],
    ['null for attributes', 'custom_attributes', null],
    ['51 attributes', 'custom_attributes', many],
    ['attributes 12 levels deep', 'custom_attributes', deep],
    ['more than 16 KiB of attributes', 'custom_attributes', { long: 'x'.repeat(16 * 1024) }],
    ['U+0000 in an attribute', 'custom_attributes', { text: 'a\u0000b' }],
  ])('A contact is refused (400) with %s', async (_case, field, value) => {
    expect(faults(await api.post('/v1/contacts', { [field]: value }))).toEqual([400, [field]]);
  });

  it('A contact cannot be created with null fields (400)', async () => {
    expect(faults(await api.post('/v1/contacts', { name: null, email: null }))).toEqual([400, ['name', 'email']]);
  });
});

describe('API keys', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await world.desk();
  });

  const make = (body: Record<string, unknown> = {}) =>
    desk.owner.api.post('/v1/api-keys', { name: unique('key'), ...body });

  it('An API key is shown once, in the published format', async () => {
    const made = await make({ name: 'CRM' });
    expect(made.status).toBe(201);
    expect(made.data.key).toMatch(/^svc_sk_[A-Za-z0-9]{32}$/);
    expect(made.data).toMatchObject({
      name: 'CRM',
      key_prefix: `${made.data.key.slice(0, 11)}…`,
      scopes: ['*'],
      expires_at: null,
      last_used_at: null,
      created_by: desk.owner.memberId,
    });
    const { key, ...rest } = made.data;
    const list = await desk.owner.api.get('/v1/api-keys');
    expect(list.data.items[0]).toEqual(rest);
    expect(JSON.stringify(list.body)).not.toContain(key.slice(11));
  });

  it('An API key is stored as its SHA-256 hash', async () => {
    const { id, key } = (await make()).data;
    const [row] = await world.app.database.query<{ key_hash: string }>('SELECT * FROM api_key WHERE id = $1', [id]);
    expect(row?.key_hash).toBe(
      createHash('sha256')
        .update(key as string)
        .digest('hex'),
    );
    expect(JSON.stringify(row)).not.toContain(key.slice(11));
  });

  it('API keys are unique and use the whole alphabet', async () => {
    const keys = await race(30, async () => (await make()).data.key as string);
    expect(new Set(keys).size).toBe(30);
    expect(new Set(keys.join('').replaceAll('svc_sk_', '')).size).toBeGreaterThan(55);
  });

  it('Owners and admins can create API keys; agents and keys cannot', async () => {
    const [admin, agent] = [await world.colleague(desk, { role: 'admin' }), await world.colleague(desk)];
    const key = await world.apiKey(desk);
    expect((await admin.api.post('/v1/api-keys', { name: 'x' })).status).toBe(201);
    expect((await agent.api.post('/v1/api-keys', { name: 'x' })).error.code).toBe('forbidden');
    expect((await key.post('/v1/api-keys', { name: 'x' })).error.code).toBe('agent_token_required');
    const limited = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    expect((await limited.api.post('/v1/api-keys', { name: 'x' })).error.code).toBe('scope_too_narrow');
  });

  it('Admins and keys can list and revoke API keys; agents cannot', async () => {
    const agent = await world.colleague(desk);
    for (const api of [await world.apiKey(desk), (await world.colleague(desk, { role: 'admin' })).api]) {
      const { id } = (await make()).data;
      expect((await api.get('/v1/api-keys')).data.items.map((item: Row) => item.id)).toContain(id);
      expect((await agent.api.delete(`/v1/api-keys/${id}`)).status).toBe(403);
      expect((await api.delete(`/v1/api-keys/${id}`)).data).toEqual({ id, revoked: true });
    }
    expect((await agent.api.get('/v1/api-keys')).status).toBe(403);
  });

  it('A revoked API key is refused from the next request on (401 invalid_token)', async () => {
    const { id, key } = (await make()).data;
    const api = world.as(key);
    expect((await api.get('/v1/workspace')).status).toBe(200);
    await desk.owner.api.delete(`/v1/api-keys/${id}`);
    const refused = await api.get('/v1/workspace');
    expect(refused).toMatchObject({ status: 401, error: { code: 'invalid_token' } });
    expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect((await desk.owner.api.delete(`/v1/api-keys/${id}`)).status).toBe(404);
    const listed = (await desk.owner.api.get('/v1/api-keys?limit=200')).data.items.map((item: Row) => item.id);
    expect(listed).not.toContain(id);
  });

  it('An API key can revoke itself', async () => {
    const { id, key } = (await make()).data;
    expect((await world.as(key).delete(`/v1/api-keys/${id}`)).status).toBe(200);
    expect((await world.as(key).get('/v1/workspace')).status).toBe(401);
  });

  it('An API key past its expiry is refused (401 token_expired)', async () => {
    const expiresAt = new Date(world.app.clock.now().getTime() + 60_000).toISOString();
    const { data } = await make({ expires_at: expiresAt });
    expect(data.expires_at).toBe(expiresAt.replace('Z', '000Z'));
    const api = world.as(data.key);
    world.app.clock.advance(55);
    expect((await api.get('/v1/workspace')).status).toBe(200);
    world.app.clock.advance(10);
    expect(await api.get('/v1/workspace')).toMatchObject({ status: 401, error: { code: 'token_expired' } });
  });

  it('An API key cannot be created with an expiry in the past or an invalid one (400)', async () => {
    const past = new Date(world.app.clock.now().getTime() - 1000).toISOString();
    expect(await make({ expires_at: past })).toMatchObject({ status: 400, error: { code: 'expires_at_in_past' } });
    const leapDay = '2031-02-29T00:00:00Z';
    const afterTheLast = '9999-12-31T23:59:59-01:00';
    for (const value of ['tomorrow', '2030-01-01', 1893456000, null, leapDay, '2030-01-01T25:00:00Z', afterTheLast]) {
      expect(faults(await make({ expires_at: value }))).toEqual([400, ['expires_at']]);
    }
  });

  it('The use of an API key shows in `last_used_at` within a second', async () => {
    const { id, key } = (await make()).data;
    const used = async () => {
      const { items } = (await desk.owner.api.get('/v1/api-keys?limit=200')).data;
      const at = (items as { id: string; last_used_at: string | null }[]).find(item => item.id === id)?.last_used_at;
      return at ? Date.parse(at) : undefined;
    };
    for (const use of [1, 2]) {
      const called = Date.now();
      await world.as(key).get('/v1/workspace');
      const at = await eventually(async () => (((await used()) ?? 0) >= called ? await used() : undefined));
      expect([use, Date.now() - called < 1500, Math.abs((at ?? 0) - called) < 1000]).toEqual([use, true, true]);
    }
  });

  it('The use of an API key is written to the database at most once a second', async () => {
    const { id, key } = (await make()).data;
    const api = world.as(key);
    const writes = new Set<string>();
    const started = Date.now();
    while (Date.now() - started < 2500) {
      await api.get('/v1/workspace');
      const [row] = await world.app.database.query<{ version: string }>(
        'SELECT xmin::text AS version FROM api_key WHERE id = $1',
        [id],
      );
      writes.add(row?.version ?? '');
    }
    expect(writes.size - 1).toBeGreaterThanOrEqual(1);
    expect(writes.size - 1).toBeLessThanOrEqual(3);
  });

  describe('API keys with scopes', () => {
    it('An API key can do what its scopes name, and nothing else (403)', async () => {
      const { data } = await make({ scopes: ['contacts:read', 'channels:write'] });
      expect(data.scopes).toEqual(['contacts:read', 'channels:write']);
      const api = world.as(data.key);
      expect((await api.get('/v1/contacts')).status).toBe(200);
      expect((await api.get('/v1/channels')).status).toBe(200);
      expect((await api.patch(`/v1/channels/${desk.channelId}`, { name: 'Shop' })).status).toBe(200);
      const refused: Answer[] = [
        await api.post('/v1/contacts', { name: 'Carla' }),
        await api.get('/v1/workspace'),
        await api.get('/v1/conversations'),
        await api.get('/v1/api-keys'),
        await api.post('/v1/workspace/members', { email: email(), name: 'Adam' }),
      ];
      expect(refused.map(({ status, error }) => [status, error.code])).toEqual(Array(5).fill([403, 'forbidden']));
    });

    it('An API key with `members:write` can do everything, as a member it creates could', async () => {
      const { data } = await make({ scopes: ['members:write'] });
      expect((await world.as(data.key).patch('/v1/workspace', { locale: 'en' })).status).toBe(200);
    });

    it.each([[['everything']], [['contacts:delete']], [['widget:read']], [['session:write']], ['*'], [null]])(
      'An API key is refused (400) with the scopes %j',
      async scopes => {
        expect(faults(await make({ scopes }))).toEqual([400, ['scopes']]);
      },
    );

    it('An API key without scopes can do nothing (403)', async () => {
      const { data } = await make({ scopes: [] });
      expect((await world.as(data.key).get('/v1/workspace')).error.code).toBe('forbidden');
    });
  });

  it('An API key acts in its own workspace only', async () => {
    const other = await world.desk();
    const { id } = (await make()).data;
    expect((await other.owner.api.delete(`/v1/api-keys/${id}`)).status).toBe(404);
    const key = await world.apiKey(other);
    expect((await key.get('/v1/workspace')).data.id).toBe(other.workspaceId);
    expect((await key.get(`/v1/channels/${desk.channelId}`)).status).toBe(404);
  });

  it('An unknown API key is refused (401 invalid_token)', async () => {
    for (const token of [`svc_sk_${'a'.repeat(32)}`, 'svc_sk_short', `svc_sk_${'a'.repeat(31)}!`]) {
      expect(await world.as(token).get('/v1/workspace')).toMatchObject({
        status: 401,
        error: { code: 'invalid_token' },
      });
    }
  });

  it('An API key cannot be used as an agent or visitor token', async () => {
    const key = await world.apiKey(desk);
    expect((await key.get('/v1/auth/me')).error.code).toBe('agent_token_required');
    expect((await key.get('/v1/widget/contact')).error.code).toBe('visitor_token_required');
    expect((await world.anyone.post('/v1/auth/login', { email: desk.owner.email, password: PASSWORD })).status).toBe(
      200,
    );
  });
});
