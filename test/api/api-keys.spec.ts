import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KEY_SCOPES, WHOLE_KEY_SCOPES } from '../../src/kernel/permission.js';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import { countsOf, race } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import type { Json } from '../support/json.js';
import type { Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const PATH = '/v1/api-keys';
const KEY_FORMAT = /^svc_sk_[A-Za-z0-9]{32}$/;
const DAY = 24 * 3600;

let world: World;
/** Second instance on the same database; no message bus connects the two. */
let secondInstance: World;
let desk: Desk;
beforeAll(async () => {
  world = await World.start();
  secondInstance = await World.start({}, { database: world.app.database, clock: world.app.clock });
});
beforeEach(async () => {
  desk = await world.desk();
});
afterEach(() => world.app.clock.reset());
afterAll(async () => {
  await secondInstance.stop();
  await world.stop();
});

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);
const outcome = ({ status, error }: Answer<unknown>) => (status < 300 ? status : error.code);
const createKey = (body: object = {}, api: Caller = desk.owner.api) => api.post(PATH, { name: unique('key'), ...body });
const revokeKey = (id: string, query = '', api: Caller = desk.owner.api) => api.delete(`${PATH}/${id}${query}`);
const inSeconds = (seconds: number) => new Date(world.app.clock.now().getTime() + seconds * 1000).toISOString();
const findListed = async (id: string, api: Caller = desk.owner.api) => {
  const { items } = (await api.get<{ items: Json[] }>(`${PATH}?limit=200`)).data;
  return items.find(item => item.id === id);
};

interface KeyEvent {
  type: string;
  payload: { id: string; reason?: string };
  actor: { type: string; id: string | null };
  user_agent: string | null;
}
const readKeyEvents = (id: string) =>
  sql<KeyEvent>(
    `SELECT type, payload, actor, user_agent FROM event
     WHERE type LIKE 'api_key.%' AND payload->>'id' = $1 ORDER BY id`,
    [id],
  );

/** Each test name quotes the line of the interface specification that the test checks. */
describe('API keys as the interface specification describes them', () => {
  it('A key has an id that the list shows, too: “id | string | Key id”', async () => {
    const { id } = (await createKey()).data;
    expect(typeof id).toBe('string');
    expect(await findListed(id)).toBeDefined();
  });

  it('A key keeps the name given at creation: “name | string | Label given at creation”', async () => {
    const { data } = await createKey({ name: 'CRM' });
    expect([data.name, (await findListed(data.id)).name]).toEqual(['CRM', 'CRM']);
  });

  it('A key expires or not: “expires_at | string | ISO 8601 timestamp; when omitted the key never expires”', async () => {
    const expiresAt = inSeconds(3600);
    expect(Date.parse((await createKey({ expires_at: expiresAt })).data.expires_at)).toBe(Date.parse(expiresAt));
    const { data } = await createKey();
    expect(data.expires_at).toBeNull();
    world.app.clock.advance(50 * 365 * DAY);
    expect((await world.as(data.key).get('/v1/workspace')).status).toBe(200);
  });

  it('A raw key is shown once: “key | string | Raw key, returned only in the creation response; format `svc_sk_<32_random_chars>`”', async () => {
    const { key, id } = (await createKey()).data;
    expect(key).toMatch(KEY_FORMAT);
    const seen = [await desk.owner.api.get(PATH), await world.as(key).get(PATH), await revokeKey(id)];
    expect(JSON.stringify(seen.map(({ body }) => body))).not.toContain(key.slice('svc_sk_'.length + 4));
  });

  it('A key has a prefix: “key_prefix | string | Truncated form of the key (the prefix plus a few characters, then an ellipsis)”', async () => {
    const { key, key_prefix: prefix, id } = (await createKey()).data;
    expect(prefix).toMatch(/^svc_sk_[A-Za-z0-9]{4}…$/);
    expect(key.startsWith(prefix.slice(0, -1))).toBe(true);
    expect((await findListed(id)).key_prefix).toBe(prefix);
  });

  it('A key has the time of its creation: “created_at | string | Creation timestamp”', async () => {
    const before = Date.now();
    const { created_at: createdAt, id } = (await createKey()).data;
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
    expect((await findListed(id)).created_at).toBe(createdAt);
  });

  it('A key has a time of last use: “last_used_at | string | Time of last use” “Use of a key updates its last_used_at.”', async () => {
    const { id, key, last_used_at: unused } = (await createKey()).data;
    expect(unused).toBeNull();
    const called = Date.now();
    await world.as(key).get('/v1/workspace');
    const used = await eventually<string>(async () => (await findListed(id)).last_used_at ?? undefined);
    expect(used).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Math.abs(Date.parse(used) - called)).toBeLessThan(1000);
    world.app.clock.advance(60);
    await secondInstance.as(key).get('/v1/workspace');
    await eventually(async () => ((await findListed(id)).last_used_at > used ? true : undefined));
  });

  it('Only owners and admins create keys: “POST /v1/api-keys | Create a key; requires an admin JWT”', async () => {
    const [admin, agent] = [await world.colleague(desk, { role: 'admin' }), await world.colleague(desk)];
    const [limited, key, visitor] = [
      await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] }),
      await world.apiKey(desk),
      await world.visitor(desk),
    ];
    expect(outcome(await createKey({}, desk.owner.api))).toBe(201);
    expect((await createKey({}, admin.api)).data.created_by).toBe(admin.memberId);
    expect(outcome(await createKey({}, agent.api))).toBe('forbidden');
    expect(outcome(await createKey({}, limited.api))).toBe('scope_too_narrow');
    for (const api of [key, visitor.api, world.as(desk.owner.refreshToken)]) {
      expect([(await createKey({}, api)).status, outcome(await createKey({}, api))]).toEqual([
        401,
        'agent_token_required',
      ]);
    }
    expect((await createKey({}, world.anyone)).status).toBe(401);
  });

  it('Only the creation shows the raw key: “response: id, key, key_prefix, created_at; raw key returned once only”', async () => {
    const made = await createKey();
    expect(made.status).toBe(201);
    expect(Object.keys(made.data)).toEqual(expect.arrayContaining(['id', 'key', 'key_prefix', 'created_at']));
    expect(Object.keys(await findListed(made.data.id))).not.toContain('key');
  });

  it('Keys are listed newest first: “GET /v1/api-keys | List keys”', async () => {
    const ids = await race(3, async () => (await createKey()).data.id as string);
    const key = await world.apiKey(desk);
    for (const api of [desk.owner.api, key]) {
      const first = (await api.get(`${PATH}?limit=2`)).data;
      const second = (await api.get(`${PATH}?limit=2&cursor=${first.next_cursor}`)).data;
      const seen = [...first.items, ...second.items].map((item: Json) => item.id as string);
      expect(seen).toHaveLength(4);
      expect(seen).toEqual([...seen].sort().reverse());
      expect(seen).toEqual(expect.arrayContaining(ids));
      expect(second.next_cursor).toBeNull();
    }
    expect(outcome(await (await world.colleague(desk)).api.get(PATH))).toBe('forbidden');
  });

  it('A revoked key is refused on every instance: “DELETE /v1/api-keys/{id} | Revoke a key; takes effect immediately”', async () => {
    for (const api of [desk.owner.api, await world.apiKey(desk)]) {
      const { id, key } = (await createKey()).data;
      expect((await secondInstance.as(key).get('/v1/workspace')).status).toBe(200);
      expect((await revokeKey(id, '', api)).data).toEqual({ id, revoked: true });
      for (const instance of [world, secondInstance]) {
        const refused = await instance.as(key).get('/v1/workspace');
        expect([refused.status, outcome(refused)]).toEqual([401, 'invalid_token']);
        expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      }
      expect(await findListed(id)).toBeUndefined();
      expect((await revokeKey(id)).status).toBe(404);
    }
  });

  it('A key has all permissions: “API key | … | Authorization: Bearer <API_KEY> | Workspace, full permissions”', async () => {
    const key = await world.apiKey(desk);
    const done = [
      await key.patch('/v1/workspace', { locale: 'en' }),
      await key.post('/v1/channels', { name: 'Shop' }),
      await key.post('/v1/contacts', { name: 'Carla' }),
      await key.post('/v1/workspace/members', { email: `${unique('m')}@example.com`, name: 'Adam' }),
      await key.post('/v1/canned-responses', { short_code: 'hi', title: 'Hi', content: 'Hi' }),
      await key.get('/v1/conversations'),
      await key.get(PATH),
    ];
    expect(done.map(outcome)).toEqual([200, 201, 201, 201, 201, 200, 200]);
    for (const header of [`Basic ${key.token}`, `${key.token}`]) {
      expect((await world.anyone.get('/v1/workspace', { Authorization: header })).status).toBe(401);
    }
    expect((await world.anyone.get(`/v1/workspace?token=${key.token}&api_key=${key.token}`)).status).toBe(401);
  });

  it('A key opens its workspace only: “The server validates an API key and derives the workspace context from it.”', async () => {
    const other = await world.desk();
    const [key, theirs] = [await world.apiKey(desk), (await createKey({}, other.owner.api)).data];
    expect((await key.get('/v1/workspace')).data.id).toBe(desk.workspaceId);
    expect((await key.get(`/v1/channels/${other.channelId}`)).status).toBe(404);
    expect((await revokeKey(theirs.id, '', key)).status).toBe(404);
    expect((await world.as(theirs.key).get('/v1/workspace')).data.id).toBe(other.workspaceId);
    for (const forged of [`svc_sk_${'a'.repeat(32)}`, 'svc_sk_short', theirs.key.slice(0, -1), `${theirs.key}x`]) {
      expect(outcome(await world.as(forged as string).get('/v1/workspace'))).toBe('invalid_token');
    }
  });

  it('An expired key is refused: “API key lifetime | Chosen at creation through expires_at; default no expiry” “Expired token | 401”', async () => {
    expect(outcome(await createKey({ expires_at: inSeconds(-1) }))).toBe('expires_at_in_past');
    const { key } = (await createKey({ expires_at: inSeconds(3600) })).data;
    world.app.clock.advance(3590);
    expect((await world.as(key).get('/v1/workspace')).status).toBe(200);
    world.app.clock.advance(11);
    for (const instance of [world, secondInstance]) {
      const refused = await instance.as(key).get('/v1/workspace');
      expect([refused.status, outcome(refused)]).toEqual([401, 'token_expired']);
    }
  });

  it('A key has 32 random characters: “API key random part | 32 characters”', async () => {
    const keys = await race(20, async () => (await createKey()).data.key as string);
    for (const key of keys) expect(key.slice('svc_sk_'.length)).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(new Set(keys).size).toBe(20);
  });
});

describe('API key storage and use', () => {
  it('A key is stored as its SHA-256 hash only', async () => {
    const { id, key } = (await createKey()).data;
    const [row] = await sql<{ key_hash: string }>('SELECT * FROM api_key WHERE id = $1', [id]);
    const hash = createHash('sha256').update(String(key)).digest('hex');
    expect(row?.key_hash).toBe(hash);
    expect(JSON.stringify(row)).not.toContain(key.slice(11));
    const log = await sql('SELECT * FROM event WHERE workspace_id = $1', [desk.workspaceId]);
    expect(JSON.stringify(log)).not.toContain(key.slice(11));
    expect(JSON.stringify(log)).not.toContain(hash);
  });

  it('A key outlives the member who created it', async () => {
    const admin = await world.colleague(desk, { role: 'admin' });
    const { key, created_by: by } = (await createKey({}, admin.api)).data;
    await desk.owner.api.post(`/v1/workspace/members/${admin.memberId}/deactivate`);
    expect([by, (await world.as(key).get('/v1/workspace')).status]).toEqual([admin.memberId, 200]);
  });

  it('A key in constant use is accepted every time, although its use is recorded only now and then', async () => {
    const { id, key } = (await createKey()).data;
    const uses = await race(40, () => world.as(key).get('/v1/workspace'));
    expect(uses.every(({ status }) => status === 200)).toBe(true);
    await eventually(async () => (await findListed(id)).last_used_at ?? undefined);
  });

  it('A revoked key keeps the time of its last use', async () => {
    const { id, key } = (await createKey()).data;
    await world.as(key).get('/v1/workspace');
    await revokeKey(id);
    const used = () => sql<{ at: Date | null }>('SELECT last_used_at AS at FROM api_key WHERE id = $1', [id]);
    await eventually(async () => (await used())[0]?.at ?? undefined);
  });
});

describe('API key scopes', () => {
  it('A key has every scope by default', async () => {
    expect((await createKey()).data.scopes).toEqual(['*']);
  });

  it.each(KEY_SCOPES)('A key can have the scope %s', async scope => {
    expect((await createKey({ scopes: [scope] })).data.scopes).toEqual([scope]);
  });

  it('A key with too small a scope gets 403 forbidden; a write scope includes reading', async () => {
    const key = world.as((await createKey({ scopes: ['contacts:read', 'channels:write'] })).data.key);
    expect((await key.get('/v1/contacts')).status).toBe(200);
    expect((await key.get('/v1/channels')).status).toBe(200);
    for (const refused of [
      await key.post('/v1/contacts', { name: 'Carla' }),
      await key.get('/v1/workspace'),
      await key.get(PATH),
      await key.post('/v1/workspace/members', { email: 'a@example.com', name: 'Adam' }),
    ]) {
      expect([refused.status, outcome(refused)]).toEqual([403, 'forbidden']);
    }
  });

  it.each(WHOLE_KEY_SCOPES.filter(scope => scope !== '*'))(
    'A key with scope %s may do everything, and the API reference says so',
    async scope => {
      const key = world.as((await createKey({ scopes: [scope] })).data.key);
      expect((await key.patch('/v1/workspace', { locale: 'en' })).status).toBe(200);
      expect((await key.get(PATH)).status).toBe(200);
      const reference = (await (await fetch(`${world.app.url}/openapi.json`)).json()) as Json;
      const { description } = reference.components.schemas.CreateApiKeyBody.properties.scopes;
      expect(description).toContain(`\`${scope}\``);
      expect(description).toContain('count as `*`');
    },
  );
});

describe('Use of a revoked or expired API key', () => {
  const readRefusals = async (id: string) => (await readKeyEvents(id)).filter(({ type }) => type === 'api_key.refused');

  it.each([
    ['revoked', (id: string) => revokeKey(id)],
    ['expired', () => Promise.resolve(world.app.clock.advance(4000))],
  ])('Use of a key that is %s is recorded with the origin of the request', async (reason, kill) => {
    const { id, key } = (await createKey({ expires_at: inSeconds(3600) })).data;
    await kill(String(id));
    await world.as(key).get('/v1/workspace', { 'User-Agent': 'forgotten-cron/1' });
    const [refusal] = await eventually(async () =>
      (await readRefusals(id)).length > 0 ? readRefusals(id) : undefined,
    );
    expect(refusal).toEqual({
      type: 'api_key.refused',
      payload: { id, reason },
      actor: { type: 'api_key', id },
      user_agent: 'forgotten-cron/1',
    });
  });

  it('Use of a revoked key is recorded once a minute per instance, however often it calls', async () => {
    const { id, key } = (await createKey()).data;
    await revokeKey(id);
    await race(20, () => world.as(key).get('/v1/workspace'));
    await eventually(async () => ((await readRefusals(id)).length === 1 ? true : undefined));
    await secondInstance.as(key).get('/v1/workspace');
    await eventually(async () => ((await readRefusals(id)).length === 2 ? true : undefined));
    world.app.clock.advance(61);
    await race(5, () => world.as(key).get('/v1/workspace'));
    await eventually(async () => ((await readRefusals(id)).length === 3 ? true : undefined));
    await race(5, () => world.as(key).get('/v1/workspace'));
    expect(await readRefusals(id)).toHaveLength(3);
  });

  it('Use of an unknown key is not recorded, use of a revoked key is', async () => {
    const count = async () => (await sql(`SELECT 1 FROM event WHERE type = 'api_key.refused'`)).length;
    const before = await count();
    for (const token of [`svc_sk_${'b'.repeat(32)}`, 'svc_sk_', 'svc_sk_nonsense']) {
      expect(outcome(await world.as(token).get('/v1/workspace'))).toBe('invalid_token');
    }
    const { id, key } = (await createKey()).data;
    await revokeKey(id);
    await world.as(key).get('/v1/workspace');
    await eventually(async () => ((await readRefusals(id)).length === 1 ? true : undefined));
    expect(await count()).toBe(before + 1);
  });

  it('Use of a revoked key does not count as its last use', async () => {
    const { id, key } = (await createKey()).data;
    await revokeKey(id);
    await world.as(key).get('/v1/workspace');
    await eventually(async () => ((await readRefusals(id)).length === 1 ? true : undefined));
    expect(await sql('SELECT last_used_at FROM api_key WHERE id = $1', [id])).toEqual([{ last_used_at: null }]);
  });
});

describe('Revoking an API key', () => {
  it('No request of a key that starts after the answer to its revocation succeeds, on any instance', async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const random = seeded(seed);
      const { id, key } = (await createKey()).data;
      let revokedAt = Infinity;
      const late: unknown[] = [];
      const caller = async (instance: World) => {
        const api = instance.as(key);
        let refused = 0;
        while (refused < 2) {
          await waitUpTo(random, 3);
          const startedAt = performance.now();
          const answer = await api.get('/v1/workspace');
          if (answer.status !== 200) refused += 1;
          if (answer.status === 200 && startedAt > revokedAt) late.push([seed, startedAt - revokedAt]);
          if (answer.status !== 200) expect(outcome(answer)).toBe('invalid_token');
        }
      };
      const calls = [world, secondInstance, secondInstance].map(caller);
      await waitUpTo(random, 15);
      expect((await revokeKey(id)).status).toBe(200);
      revokedAt = performance.now();
      await Promise.all(calls);
      expect(late).toEqual([]);
    }
  });

  it('Of concurrent revocations of a key one succeeds and is recorded, the others get 404', async () => {
    const { id } = (await createKey()).data;
    const answers = await race(6, () => revokeKey(id));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 404: 5 });
    expect((await readKeyEvents(id)).map(({ type }) => type)).toEqual(['api_key.created', 'api_key.revoked']);
  });

  it('A key can revoke itself', async () => {
    const { id, key } = (await createKey()).data;
    expect((await revokeKey(id, '', world.as(key))).status).toBe(200);
    expect((await world.as(key).get('/v1/workspace')).status).toBe(401);
  });

  it.each(['yes', '', '1', 'TRUE'])('Revoking a key with end_sessions=%s is refused (400)', async value => {
    const { id } = (await createKey()).data;
    expect((await revokeKey(id, `?end_sessions=${value}`)).status).toBe(400);
    expect(await findListed(id)).toBeDefined();
  });

  describe('Revoking an API key that minted sessions', () => {
    const sessions = async () => {
      const member = await world.colleague(desk);
      const { id, key } = (await createKey()).data;
      const minted = await world.as(key).post('/v1/auth/agent-token', { email: member.email });
      expect(minted.status).toBe(200);
      return { id: id as string, key: key as string, member, minted: world.agentOf(minted.data, member.email) };
    };

    it('Revoking a key leaves the sessions it minted alive by default', async () => {
      for (const query of ['', '?end_sessions=false']) {
        const { id, minted } = await sessions();
        await revokeKey(id, query);
        expect((await minted.api.get('/v1/auth/me')).status).toBe(200);
      }
    });

    it('Revoking a key with end_sessions=true ends exactly the sessions it minted, sockets included', async () => {
      const { id, member, minted } = await sessions();
      const socket = await secondInstance.agentSocket(minted);
      const other = await world.agentSocket(member);
      await revokeKey(id, '?end_sessions=true');
      expect(outcome(await secondInstance.as(minted.token).get('/v1/auth/me'))).toBe('token_revoked');
      const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: minted.refreshToken });
      expect(outcome(refreshed)).toBe('token_revoked');
      expect((await socket.end()).code).toBe(4502);
      expect((await member.api.get('/v1/auth/me')).status).toBe(200);
      const login = await world.anyone.post('/v1/auth/login', { email: member.email, password: PASSWORD });
      expect(login.status).toBe(200);
      await other.settled();
      await other.close();
    });

    it('Revoking a key with end_sessions=true also ends a session that it is minting meanwhile', async () => {
      for (let seed = 1; seed <= 10; seed += 1) {
        const [random, member] = [seeded(seed), await world.colleague(desk)];
        const { id, key } = (await createKey()).data;
        const [, ...minted] = await Promise.all([
          waitUpTo(random, 10).then(() => revokeKey(id, '?end_sessions=true')),
          ...[world, secondInstance].map(async instance => {
            await waitUpTo(random, 10);
            return instance.as(key).post('/v1/auth/agent-token', { email: member.email });
          }),
        ]);
        for (const { status, data } of minted) {
          const lives = status === 200 && (await world.as(data.token).get('/v1/auth/me')).status === 200;
          expect([seed, lives]).toEqual([seed, false]);
        }
      }
    });
  });
});
