import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import type { MemberRecord } from '../../src/modules/members/index.js';
import { PasswordHashingService } from '../../src/modules/users/password-hashing.service.js';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import { countsOf, race } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import type { Frame } from '../support/socket.js';
import { Refused } from '../support/socket.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const PATH = '/v1/workspace/members';
const NOWHERE = '01960000-0000-7000-8000-000000000000';

let world: World;
/** Another instance on the same database, without a bus between the two. */
let otherInstance: World;
beforeAll(async () => {
  world = await World.start();
  otherInstance = await World.start({}, { database: world.app.database });
});
afterEach(() => world.app.clock.reset());
afterAll(async () => {
  await otherInstance.stop();
  await world.stop();
});

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);
const email = () => `${unique('person')}@example.com`;
const outcome = ({ status, error }: Answer<unknown>) => (status < 300 ? status : error.code);
const change = (api: Caller, id: string, edits: object) => api.patch<MemberRecord>(`${PATH}/${id}`, edits);
const deactivate = (api: Caller, id: string) => api.post<MemberRecord>(`${PATH}/${id}/deactivate`);
const reactivate = (api: Caller, id: string) => api.post<MemberRecord>(`${PATH}/${id}/reactivate`);
const memberOf = async (api: Caller, id: string) => (await api.get<MemberRecord>(`${PATH}/${id}`)).data;

/** The changed fields of each recorded update of the member, oldest first. */
async function changesOf(memberId: string): Promise<string[][]> {
  const rows = await sql<{ changed: string[] }>(
    `SELECT payload->'changed' AS changed FROM event
     WHERE type = 'member.updated' AND payload #>> '{member,id}' = $1 ORDER BY id`,
    [memberId],
  );
  return rows.map(({ changed }) => changed);
}

/** Makes a colleague the second owner of the desk. */
async function coOwner(desk: Desk): Promise<Agent> {
  const colleague = await world.colleague(desk, { role: 'admin' });
  await change(desk.owner.api, colleague.memberId, { role: 'owner' });
  return colleague;
}

describe('Changing a member as an admin or API key', () => {
  let desk: Desk;
  let key: Caller;
  beforeAll(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
  });

  it('An admin or key can change a member’s name, role, channels and capacity; other fields stay as they are', async () => {
    const { memberId } = await world.colleague(desk);
    const first = await change(key, memberId, { name: 'Ada', capacity: 3 });
    expect([first.status, first.data]).toEqual([200, expect.objectContaining({ name: 'Ada', capacity: 3 })]);
    const second = await change(key, memberId, { role: 'admin', channel_ids: [desk.channelId] });
    expect(second.data).toMatchObject({ name: 'Ada', capacity: 3, role: 'admin', channel_ids: [desk.channelId] });
    expect((await change(desk.owner.api, memberId, { channel_ids: [] })).data.channel_ids).toEqual([]);
    expect((await change(desk.owner.api, memberId, { channel_ids: null })).data.channel_ids).toBeNull();
    expect(await memberOf(key, memberId)).toMatchObject({ name: 'Ada', capacity: 3, role: 'admin', channel_ids: null });
    expect(await changesOf(memberId)).toEqual([
      ['name', 'capacity'],
      ['role', 'channel_ids'],
      ['channel_ids'],
      ['channel_ids'],
    ]);
  });

  it('A member change ignores `email`, `status`, `availability`, `user_id` and `claimed`', async () => {
    const { memberId, email: address } = await world.colleague(desk);
    const edits = { email: email(), status: 'deactivated', availability: 'online', user_id: NOWHERE, claimed: false };
    const { status, data } = await change(key, memberId, edits);
    expect([status, data]).toEqual([
      200,
      expect.objectContaining({ email: address, status: 'active', availability: 'offline' }),
    ]);
    expect((await world.anyone.post('/v1/auth/login', { email: address, password: PASSWORD })).status).toBe(200);
  });

  it('A member change that changes nothing records no event', async () => {
    const { memberId } = await world.colleague(desk, { name: 'Ada' });
    const before = await memberOf(key, memberId);
    for (const edits of [{}, { name: 'Ada' }, { role: 'agent', channel_ids: null, capacity: 10 }]) {
      expect((await change(key, memberId, edits)).data).toEqual(before);
    }
    expect(await changesOf(memberId)).toEqual([]);
  });

  it.each([
    ['name', ''],
    ['name', null],
    ['role', 'god'],
    ['role', null],
    ['channel_ids', ['x']],
    ['channel_ids', [NOWHERE, NOWHERE]],
    ['capacity', -1],
    ['capacity', 1.5],
    ['capacity', 1001],
    ['capacity', null],
  ])('A member change is refused (400) for the %s %j', async (field, value) => {
    const { status, error } = await change(key, desk.owner.memberId, { [field]: value });
    expect([status, error.details?.map(fault => fault.field)]).toEqual([400, [field]]);
  });

  it('A member’s channels must exist in the workspace (400 otherwise); a deleted one the member has may stay', async () => {
    const { memberId } = await world.colleague(desk);
    const gone = await world.channel(desk);
    const foreign = await world.desk();
    const scope = [desk.channelId, gone.id];
    await change(key, memberId, { channel_ids: scope });
    await desk.owner.api.delete(`/v1/channels/${gone.id}`);
    expect((await change(key, memberId, { name: 'Ada', channel_ids: scope })).data.channel_ids).toEqual(scope);
    const refused = await change(key, memberId, { channel_ids: [desk.channelId, foreign.channelId, gone.id] });
    expect([refused.status, refused.error.details?.map(({ field }) => field)]).toEqual([
      400,
      ['channel_ids[1]', 'channel_ids[2]'],
    ]);
  });

  it('A key cannot change a member of another workspace (404)', async () => {
    const other = await world.desk();
    for (const id of [other.owner.memberId, NOWHERE, 'x']) {
      expect(outcome(await change(key, id, { name: 'Ada' }))).toBe('not_found');
      expect(outcome(await deactivate(key, id))).toBe('not_found');
      expect(outcome(await reactivate(key, id))).toBe('not_found');
    }
  });

  it('An admin limited to some channels cannot change members (403 scope_too_narrow)', async () => {
    const limited = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    const { memberId } = await world.colleague(desk);
    expect(outcome(await change(limited.api, memberId, { name: 'Ada' }))).toBe('scope_too_narrow');
    expect(outcome(await change(limited.api, limited.memberId, { channel_ids: null }))).toBe('scope_too_narrow');
    expect(outcome(await deactivate(limited.api, memberId))).toBe('scope_too_narrow');
  });

  it('Two racing changes of a member both take effect', async () => {
    const { memberId } = await world.colleague(desk);
    await Promise.all([change(key, memberId, { capacity: 4 }), change(desk.owner.api, memberId, { name: 'Eve' })]);
    expect(await memberOf(key, memberId)).toMatchObject({ capacity: 4, name: 'Eve' });
  });

  it('A member change is recorded with its API key and user agent', async () => {
    const { memberId } = await world.colleague(desk);
    await key.patch(`${PATH}/${memberId}`, { name: 'Ada' }, { 'User-Agent': 'directory-sync/1' });
    const [row] = await sql<{ event: Record<string, unknown> }>(
      `SELECT to_jsonb(event) AS event FROM event WHERE type = 'member.updated' AND payload #>> '{member,id}' = $1`,
      [memberId],
    );
    expect(JSON.stringify(row)).toContain('directory-sync/1');
    expect(JSON.stringify(row)).toContain('api_key');
  });
});

describe('Roles above the caller’s own', () => {
  type CallerKind = 'agent' | 'admin' | 'key' | 'owner';
  type Role = 'agent' | 'admin' | 'owner';
  const CHANGES = ['name', 'agent', 'admin', 'owner', 'deactivate', 'reactivate'] as const;
  const RANK: Record<CallerKind, number> = { agent: 0, admin: 1, key: 1, owner: 2 };
  const CALLER_KINDS: CallerKind[] = ['agent', 'admin', 'key', 'owner'];
  const TARGETS: Role[] = ['agent', 'admin', 'owner'];

  let callers: Record<CallerKind, Caller>;
  let target: string;
  beforeAll(async () => {
    const desk = await world.desk();
    callers = {
      agent: (await world.colleague(desk)).api,
      admin: (await world.colleague(desk, { role: 'admin' })).api,
      key: await world.apiKey(desk),
      owner: desk.owner.api,
    };
    target = (await world.colleague(desk)).memberId;
  });

  const attempt = (api: Caller, action: (typeof CHANGES)[number]) => {
    if (action === 'deactivate') return deactivate(api, target);
    if (action === 'reactivate') return reactivate(api, target);
    return change(api, target, action === 'name' ? { name: unique('Name') } : { role: action });
  };

  it.each(CALLER_KINDS.flatMap(callerKind => TARGETS.map(role => [callerKind, role] as const)))(
    'A caller of kind %s can grant, change or deactivate no role above its own: member with role %s',
    async (callerKind, role) => {
      for (const action of CHANGES) {
        const status = action === 'reactivate' ? 'deactivated' : 'active';
        await sql('UPDATE member SET role = $2, status = $3 WHERE id = $1', [target, role, status]);
        const before = await memberOf(callers.owner, target);
        const granted: Role = action === 'agent' || action === 'admin' || action === 'owner' ? action : 'agent';
        const above = Math.max(RANK[role], RANK[granted]) > RANK[callerKind];
        const expected = callerKind === 'agent' ? 'forbidden' : above ? 'role_too_high' : 200;
        const answer = await attempt(callers[callerKind], action);
        expect([action, outcome(answer)]).toEqual([action, expected]);
        if (expected !== 200) expect([action, await memberOf(callers.owner, target)]).toEqual([action, before]);
      }
    },
  );

  it('An owner can make another member an owner and then step down', async () => {
    const desk = await world.desk();
    const heir = await coOwner(desk);
    expect((await change(desk.owner.api, desk.owner.memberId, { role: 'agent' })).data.role).toBe('agent');
    expect(outcome(await change(desk.owner.api, heir.memberId, { name: 'Mine' }))).toBe('forbidden');
    expect((await change(heir.api, desk.owner.memberId, { role: 'admin' })).data.role).toBe('admin');
  });
});

describe('The last active owner', () => {
  it('The last active owner cannot be demoted, deactivated or limited to some channels (409 last_owner)', async () => {
    const desk = await world.desk();
    const { api, memberId } = desk.owner;
    for (const edits of [
      { role: 'admin' },
      { role: 'agent' },
      { channel_ids: [desk.channelId] },
      { channel_ids: [] },
    ]) {
      const refused = await change(api, memberId, edits);
      expect([edits, refused.status, outcome(refused)]).toEqual([edits, 409, 'last_owner']);
    }
    const refused = await deactivate(api, memberId);
    expect([refused.status, outcome(refused)]).toEqual([409, 'last_owner']);
    expect(await memberOf(api, memberId)).toMatchObject({ role: 'owner', status: 'active', channel_ids: null });
    expect(await changesOf(memberId)).toEqual([]);
    expect((await change(api, memberId, { name: 'Olivia', role: 'owner', channel_ids: null })).status).toBe(200);
  });

  it('Owners who are deactivated or limited to some channels do not count as the last active owner', async () => {
    const desk = await world.desk();
    const [gone, limited] = [await coOwner(desk), await coOwner(desk)];
    await deactivate(desk.owner.api, gone.memberId);
    await change(desk.owner.api, limited.memberId, { channel_ids: [desk.channelId] });
    expect(outcome(await change(desk.owner.api, desk.owner.memberId, { role: 'admin' }))).toBe('last_owner');
    expect(outcome(await deactivate(desk.owner.api, desk.owner.memberId))).toBe('last_owner');
    expect(outcome(await change(desk.owner.api, limited.memberId, { role: 'agent' }))).toBe(200);
    expect(outcome(await reactivate(desk.owner.api, gone.memberId))).toBe(200);
    expect(outcome(await deactivate(desk.owner.api, desk.owner.memberId))).toBe(200);
  });

  it.each([
    ['step down', (self: Agent) => change(self.api, self.memberId, { role: 'admin' })],
    ['demote each other', (self: Agent, other: Agent) => change(self.api, other.memberId, { role: 'agent' })],
    ['deactivate each other', (self: Agent, other: Agent) => deactivate(self.api, other.memberId)],
    ['limit themselves', (self: Agent) => change(self.api, self.memberId, { channel_ids: [] })],
  ])('A workspace keeps an active owner when two owners %s at once', async (_case, leave) => {
    for (let round = 0; round < 5; round += 1) {
      const desk = await world.desk();
      const other = await coOwner(desk);
      const there: Agent = { ...other, api: otherInstance.as(other.token) };
      const answers = await Promise.all([leave(desk.owner, there), leave(there, desk.owner)]);
      const won = answers.filter(({ status }) => status === 200);
      expect(answers.map(outcome)).toEqual(expect.arrayContaining([200]));
      expect(won).toHaveLength(1);
      const left = await sql(
        `SELECT 1 FROM member WHERE workspace_id = $1 AND role = 'owner' AND status = 'active' AND channel_ids IS NULL`,
        [desk.workspaceId],
      );
      expect(left).toHaveLength(1);
    }
  });
});

describe('Deactivating a member', () => {
  let desk: Desk;
  let key: Caller;
  beforeAll(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
  });

  it('A deactivated member is shown as deactivated and offline, and stays in the list', async () => {
    const { api, memberId } = await world.colleague(desk);
    await api.patch(`${PATH}/me`, { availability: 'away' });
    const { status, data } = await deactivate(key, memberId);
    expect([status, data]).toEqual([
      200,
      expect.objectContaining({ id: memberId, status: 'deactivated', availability: 'offline' }),
    ]);
    const { items } = (await key.get<{ items: MemberRecord[] }>(`${PATH}?limit=200`)).data;
    expect(items.find(({ id }) => id === memberId)?.status).toBe('deactivated');
    expect(await changesOf(memberId)).toEqual([['availability'], ['status']]);
  });

  it('A deactivated member’s tokens, refresh tokens and sockets end within a second on every instance', async () => {
    const member = await world.colleague(desk);
    const there = { ...member, api: otherInstance.as(member.token) };
    const sockets = [await world.agentSocket(member), await otherInstance.agentSocket(there)];
    const second = await world.anyone.post('/v1/auth/login', { email: member.email, password: PASSWORD, rotate: true });
    await deactivate(key, member.memberId);
    const done = Date.now();
    for (const api of [member.api, there.api, world.as(second.data.token), otherInstance.as(second.data.token)]) {
      expect(await api.get('/v1/auth/me')).toMatchObject({ status: 401, error: { code: 'token_revoked' } });
    }
    for (const refresh_token of [member.refreshToken, second.data.refresh_token]) {
      const refused = await otherInstance.anyone.post('/v1/auth/refresh', { refresh_token });
      expect(refused).toMatchObject({ status: 401, error: { code: 'token_revoked' } });
    }
    expect(await Promise.all(sockets.map(async socket => (await socket.end(2_000)).code))).toEqual([4500, 4500]);
    expect(Date.now() - done).toBeLessThan(2_000);
    const handshake = await otherInstance.agentSocket(there).catch((error: unknown) => error);
    expect(handshake).toBeInstanceOf(Refused);
    expect((handshake as Refused).status).toBe(403);
    const login = await world.anyone.post('/v1/auth/login', { email: member.email, password: PASSWORD });
    expect(login).toMatchObject({ status: 403, error: { code: 'member_deactivated' } });
  });

  it('A deactivated member’s sockets close within a second', async () => {
    const member = await world.colleague(desk);
    const sockets = [await world.agentSocket(member), await otherInstance.agentSocket(member)];
    const startedAt = Date.now();
    await deactivate(key, member.memberId);
    await Promise.all(sockets.map(socket => socket.end(1_000)));
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });

  it('A login that races with the deactivation of its member leaves no valid session', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const [member, random] = [await world.colleague(desk), seeded(seed)];
      const [, ...logins] = await Promise.all([
        waitUpTo(random, 20).then(() => deactivate(key, member.memberId)),
        ...[1, 2, 3].map(async () => {
          await waitUpTo(random, 20);
          return otherInstance.anyone.post('/v1/auth/login', { email: member.email, password: PASSWORD });
        }),
      ]);
      for (const login of logins) {
        if (login.status === 200) {
          expect([seed, outcome(await world.as(login.data.token).get('/v1/auth/me'))]).toEqual([seed, 'token_revoked']);
        } else {
          expect([seed, outcome(login)]).toEqual([seed, 'member_deactivated']);
        }
      }
    }
  });

  it('A second deactivation or reactivation of a member changes nothing and records no event', async () => {
    const { memberId } = await world.colleague(desk);
    const first = await deactivate(key, memberId);
    expect((await deactivate(desk.owner.api, memberId)).data).toEqual(first.data);
    const back = await reactivate(key, memberId);
    expect([back.status, back.data.status]).toEqual([200, 'active']);
    expect((await reactivate(desk.owner.api, memberId)).data).toEqual(back.data);
    expect(await changesOf(memberId)).toEqual([['status'], ['status']]);
  });

  it('A reactivated member’s old tokens stay invalid, and the member can log in again', async () => {
    const member = await world.colleague(desk);
    await deactivate(key, member.memberId);
    await reactivate(key, member.memberId);
    expect(outcome(await member.api.get('/v1/auth/me'))).toBe('token_revoked');
    const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: member.refreshToken });
    expect(outcome(refreshed)).toBe('token_revoked');
    const login = await world.anyone.post('/v1/auth/login', { email: member.email, password: PASSWORD });
    expect([login.status, login.data.member.id]).toEqual([200, member.memberId]);
  });

  it('An admin can deactivate its own membership', async () => {
    const admin = await world.colleague(desk, { role: 'admin' });
    expect(outcome(await deactivate(admin.api, admin.memberId))).toBe(200);
    expect(outcome(await admin.api.get('/v1/auth/me'))).toBe('token_revoked');
  });

  it('A deactivated member cannot change its profile, not even by a request already in progress', async () => {
    const member = await world.colleague(desk);
    const lock = await lockRowByUpdate(world.app.database, 'member', member.memberId, `status = 'deactivated'`);
    const request = member.api.patch(`${PATH}/me`, { availability: 'online' });
    await lock.awaited();
    await lock.commit();
    expect(outcome(await request)).toBe('token_revoked');
    expect(await memberOf(key, member.memberId)).toMatchObject({ status: 'deactivated', availability: 'offline' });
  });

  it('A member deactivated in one workspace keeps its access to another', async () => {
    const member = await world.colleague(desk);
    const otherSession = await world.anyone.post('/v1/auth/register', {
      workspace_name: unique('Own'),
      name: 'Eve',
      email: member.email,
      password: PASSWORD,
    });
    await deactivate(key, member.memberId);
    expect((await world.as(otherSession.data.token).get('/v1/auth/me')).status).toBe(200);
    expect((await world.as(otherSession.data.token).get('/v1/workspace')).status).toBe(200);
  });
});

describe('The conversations of a deactivated member', () => {
  let desk: Desk;
  let key: Caller;
  beforeAll(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
  });

  const begin = async (visitor: Visitor): Promise<string> => (await world.conversation(visitor)).id as string;
  const assigned = async (api: Caller, visitor: Visitor, memberId: string): Promise<string> => {
    const id = await begin(visitor);
    await api.post(`/v1/conversations/${id}/assign`, { member_id: memberId });
    return id;
  };
  const read = async (id: string) => (await key.get(`/v1/conversations/${id}`)).data;
  const miscounted = (workspaceId: string) =>
    sql(
      `SELECT * FROM (
         SELECT channel_id, status, coalesce(assignee_id, '00000000-0000-0000-0000-000000000000') AS assignee_id,
                count(*)::int AS truth
         FROM conversation WHERE workspace_id = $1 AND status <> 'resolved' GROUP BY 1, 2, 3) kinds
       FULL JOIN (SELECT * FROM conversation_tally WHERE workspace_id = $1) tally
         USING (channel_id, status, assignee_id)
       WHERE coalesce(truth, 0) <> coalesce(count, 0)`,
      [workspaceId],
    );

  it('Deactivating a member unassigns its unresolved conversations; resolved ones keep their assignee', async () => {
    const [member, colleague] = [await world.colleague(desk), await world.colleague(desk)];
    const visitors = await race(5, () => world.visitor(desk));
    const [open, pending, snoozed, resolved, others] = await Promise.all(
      visitors.map((visitor, index) => assigned(key, visitor, (index === 4 ? colleague : member).memberId)),
    );
    for (const [id, status] of [
      [pending, 'pending'],
      [snoozed, 'snoozed'],
    ]) {
      await sql(
        `UPDATE conversation_tally SET count = count - 1
         WHERE workspace_id = $1 AND status = 'open' AND assignee_id = $2`,
        [desk.workspaceId, member.memberId],
      );
      await sql(
        `INSERT INTO conversation_tally (workspace_id, channel_id, status, assignee_id, count) VALUES ($1, $2, $3, $4, 1)`,
        [desk.workspaceId, desk.channelId, status, member.memberId],
      );
      await sql('UPDATE conversation SET status = $2 WHERE id = $1', [id, status]);
    }
    await key.post(`/v1/conversations/${resolved}/resolve`);
    await deactivate(key, member.memberId);
    for (const [id, status] of [
      [open, 'open'],
      [pending, 'pending'],
      [snoozed, 'snoozed'],
    ]) {
      expect(await read(String(id))).toMatchObject({ assignee_id: null, status });
    }
    expect(await read(String(resolved))).toMatchObject({ assignee_id: member.memberId, status: 'resolved' });
    expect((await read(String(others))).assignee_id).toBe(colleague.memberId);
    expect(await miscounted(desk.workspaceId)).toEqual([]);
    const unassigned = (await key.get('/v1/conversations?assignee=none')).data.items as { id: string }[];
    expect(unassigned.map(({ id }) => id)).toEqual(expect.arrayContaining([open, pending, snoozed]));
  });

  it('A conversation unassigned by a deactivation updates the inbox, the timeline and the visitor', async () => {
    const [member, visitor] = [await world.colleague(desk), await world.visitor(desk)];
    const id = await assigned(key, visitor, member.memberId);
    const [inbox, page] = [await otherInstance.agentSocket(desk.owner), await world.visitorSocket(visitor)];
    await deactivate(desk.owner.api, member.memberId);
    const isFreed = (frame: Frame) => frame.conversation_id === id && frame.data.changes.assignee_id?.to === null;
    const update = await inbox.next('conversation.updated', isFreed);
    expect(update.data).toMatchObject({
      id,
      changes: { assignee_id: { from: member.memberId, to: null } },
      actor: { type: 'member', id: desk.owner.memberId },
    });
    expect((await page.next('conversation.updated')).data.changes).toEqual({
      assignee: { from: { name: 'Adam Agent', avatar_url: null }, to: null },
    });
    const { items } = (await key.get(`/v1/conversations/${id}/messages`)).data;
    const entry = (items as { content_type: string; private: boolean; metadata: object }[]).at(-1);
    expect(entry).toMatchObject({ content_type: 'event', private: true, metadata: { event: 'unassigned' } });
    await inbox.close();
    await page.close();
  });

  it('A conversation reopened after its assignee was deactivated has no assignee', async () => {
    const member = await world.colleague(desk);
    const [first, second] = await race(2, () => world.visitor(desk));
    const [byVisitor, byAgent] = [
      await assigned(key, first as Visitor, member.memberId),
      await assigned(key, second as Visitor, member.memberId),
    ];
    for (const id of [byVisitor, byAgent]) await key.post(`/v1/conversations/${id}/resolve`);
    await deactivate(key, member.memberId);
    await first?.api.post(`/v1/widget/conversations/${byVisitor}/messages`, { content: 'Once more.' });
    await key.post(`/v1/conversations/${byAgent}/reopen`);
    for (const id of [byVisitor, byAgent]) {
      expect(await read(id)).toMatchObject({ status: 'open', assignee_id: null, reopened_count: 1 });
    }
    expect(await miscounted(desk.workspaceId)).toEqual([]);
  });

  it.each([
    [
      'assigned to',
      (id: string, member: Agent) => key.post(`/v1/conversations/${id}/assign`, { member_id: member.memberId }),
    ],
    ['taken by', (id: string, member: Agent) => member.api.post(`/v1/conversations/${id}/take`)],
  ])('A conversation cannot be %s a member who is being deactivated (assignee_unavailable)', async (_case, give) => {
    const member = await world.colleague(desk);
    const id = await begin(await world.visitor(desk));
    const lock = await lockRowByUpdate(world.app.database, 'member', member.memberId, `status = 'deactivated'`);
    const request = give(id, member);
    await lock.awaited();
    await lock.commit();
    expect(outcome(await request)).toBe('assignee_unavailable');
    expect((await read(id)).assignee_id).toBeNull();
  });

  it('A visitor’s message reopens a conversation without waiting for the deactivation of its assignee', async () => {
    const [member, visitor] = [await world.colleague(desk), await world.visitor(desk)];
    const id = await assigned(key, visitor, member.memberId);
    await key.post(`/v1/conversations/${id}/resolve`);
    const lock = await lockRowByUpdate(world.app.database, 'member', member.memberId, `status = 'deactivated'`);
    const sent = await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Once more.' });
    await lock.commit();
    expect([sent.status, (await read(id)).assignee_id]).toEqual([201, null]);
  });

  it('Unassigning many conversations of a deactivated member races with other changes without a deadlock or miscount', async () => {
    const busy = await world.desk();
    const api = await world.apiKey(busy);
    const shop = await world.channel(busy);
    const [leaver, stayer] = [await world.colleague(busy), await world.colleague(busy)];
    const visitors = await race(12, index =>
      world.visitor(index % 2 ? busy : { widgetToken: shop.widget_token as string }),
    );
    for (let seed = 1; seed <= 3; seed += 1) {
      await reactivate(api, leaver.memberId);
      const ids = await race(12, async index => {
        const started = await visitors[index]?.api.post('/v1/widget/conversations', { message: { content: 'Hi' } });
        const id = started?.data.conversation.id as string;
        await api.post(`/v1/conversations/${id}/assign`, { member_id: leaver.memberId });
        return id;
      });
      const random = seeded(seed);
      const moves = [
        (id: string) => api.post(`/v1/conversations/${id}/assign`, { member_id: leaver.memberId }),
        (id: string) => stayer.api.post(`/v1/conversations/${id}/take`),
        (id: string) => api.post(`/v1/conversations/${id}/resolve`),
        (_id: string, index: number) =>
          visitors[index]?.api.post('/v1/widget/conversations', { message: { content: 'Hello?' } }),
      ];
      const [gone, ...answers] = await Promise.all([
        waitUpTo(random, 60).then(() => deactivate(otherInstance.as(api.token), leaver.memberId)),
        ...ids.flatMap((id, index) =>
          [0, 1].map(async () => {
            const move = moves[Math.floor(random() * moves.length)];
            await waitUpTo(random, 100);
            return move?.(id, index);
          }),
        ),
      ]);
      expect([seed, gone.status]).toEqual([seed, 200]);
      for (const answer of answers) expect([200, 201, 409, 422]).toContain(answer?.status);
      const left = await sql(`SELECT id FROM conversation WHERE assignee_id = $1 AND status <> 'resolved'`, [
        leaver.memberId,
      ]);
      expect([seed, left]).toEqual([seed, []]);
      expect([seed, await miscounted(busy.workspaceId)]).toEqual([seed, []]);
      const [row] = await sql('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()');
      expect([seed, row]).toEqual([seed, { deadlocks: 0 }]);
    }
  });

  it('A member whose channels change is unassigned from conversations outside of them, and keeps the others', async () => {
    const shop = await world.channel(desk);
    const member = await world.colleague(desk);
    const here = await assigned(key, await world.visitor(desk), member.memberId);
    const there = await assigned(
      key,
      await world.visitor({ widgetToken: shop.widget_token as string }),
      member.memberId,
    );
    await change(key, member.memberId, { channel_ids: [desk.channelId, shop.id] });
    expect((await read(there)).assignee_id).toBe(member.memberId);
    await change(key, member.memberId, { channel_ids: [desk.channelId] });
    expect((await read(here)).assignee_id).toBe(member.memberId);
    expect((await read(there)).assignee_id).toBeNull();
    await change(key, member.memberId, { channel_ids: null });
    expect((await read(here)).assignee_id).toBe(member.memberId);
    expect(await miscounted(desk.workspaceId)).toEqual([]);
  });
});

describe('The channels of a member', () => {
  it('A change of a member’s channels applies at once to its requests and open sockets, on every instance', async () => {
    const desk = await world.desk();
    const shop = await world.channel(desk);
    const member = await world.colleague(desk);
    const buyer = await world.visitor({ widgetToken: shop.widget_token as string });
    const [there, here] = [await world.conversation(buyer), await world.conversation(await world.visitor(desk))];
    const room = await otherInstance.agentSocket(member, { room: there.id });
    const inbox = await otherInstance.agentSocket(member);
    await change(desk.owner.api, member.memberId, { channel_ids: [desk.channelId] });
    expect((await member.api.get(`/v1/conversations/${there.id}`)).status).toBe(404);
    expect((await otherInstance.as(member.token).get(`/v1/conversations/${here.id}`)).status).toBe(200);
    expect((await room.end()).code).toBe(4502);
    await inbox.next('member.updated');
    await buyer.api.post(`/v1/widget/conversations/${there.id}/messages`, { content: 'Not for you.' });
    await desk.owner.api.post(`/v1/conversations/${here.id}/messages`, { content: 'For you.' });
    await inbox.next('message.created', ({ data }) => data.message.content === 'For you.');
    const received = inbox.of('message.created').map(({ data }) => data.message.content as string);
    expect(received).not.toContain('Not for you.');
    await inbox.close();
  });
});

describe('Creating a member with an API key', () => {
  let desk: Desk;
  let key: Caller;
  beforeAll(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
  });

  it('Requests to create a member that race under one Idempotency-Key on two instances create one member', async () => {
    const there = otherInstance.as(key.token);
    for (let seed = 1; seed <= 50; seed += 1) {
      const [random, address, idempotencyKey] = [seeded(seed), email(), unique('idem')];
      const answers = await race(8, async index => {
        await waitUpTo(random, 8);
        const body = { email: address, name: 'Adam' };
        return (index % 2 ? key : there).post<MemberRecord>(PATH, body, { 'Idempotency-Key': idempotencyKey });
      });
      const made = answers.filter(({ status }) => status === 201);
      const first = made.filter(({ headers }) => headers['idempotency-replayed'] === undefined);
      expect([seed, first.length]).toEqual([seed, 1]);
      for (const answer of made) expect([seed, answer.data]).toEqual([seed, first[0]?.data]);
      const others = answers.filter(({ status }) => status !== 201).map(outcome);
      expect([seed, Object.keys(countsOf(others.map(String)))]).toEqual([
        seed,
        others.length > 0 ? ['idempotency_in_progress'] : [],
      ]);
      const rows = await sql(
        `SELECT 1 FROM event WHERE type = 'member.created' AND workspace_id = $1 AND payload->>'email' = $2`,
        [desk.workspaceId, address],
      );
      expect([seed, rows.length]).toEqual([seed, 1]);
    }
  });

  it('A new member under an Idempotency-Key holds no transaction open while its password is hashed', async () => {
    const slow = await World.start({ BCRYPT_COST: '15', DATABASE_POOL_SIZE: '4' }, { database: world.app.database });
    const keyHere = slow.as(key.token);
    const hashed = jest.spyOn(PasswordHashingService.prototype, 'hash');
    const pending = race(8, async () => {
      const body = { email: email(), name: 'Adam', password: PASSWORD };
      return keyHere.post(PATH, body, { 'Idempotency-Key': unique('idem') }).catch(() => null);
    });
    await eventually(() => hashed.mock.calls.length === 8 || undefined);
    const answers = await race(8, () => slow.as(desk.owner.token).get('/v1/workspace'));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 8 });
    const open = await sql(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND state LIKE 'idle in transaction%'
         AND clock_timestamp() - xact_start > interval '500 milliseconds'`,
    );
    expect(open).toEqual([]);
    hashed.mockRestore();
    await slow.stop();
    await pending;
  });

  it('A retry under an Idempotency-Key gets the first answer, another body 422, and neither hashes a password', async () => {
    const body = { email: email(), name: 'Adam', password: PASSWORD };
    const headers = { 'Idempotency-Key': unique('idem') };
    const refused = { ...body, email: email(), channel_ids: [newId()] };
    const refusedHeaders = { 'Idempotency-Key': unique('idem') };
    const made = await key.post<MemberRecord>(PATH, body, headers);
    const refusal = await key.post(PATH, refused, refusedHeaders);
    expect([made.status, refusal.status, outcome(refusal)]).toEqual([201, 400, 'validation_failed']);
    const hashed = jest.spyOn(world.app.app.get(PasswordHashingService, { strict: false }), 'hash');
    const again = await key.post<MemberRecord>(PATH, body, headers);
    expect([again.status, again.data, again.headers['idempotency-replayed']]).toEqual([201, made.data, 'true']);
    const other = await key.post(PATH, { ...body, name: 'Eve' }, headers);
    expect([other.status, outcome(other)]).toEqual([422, 'idempotency_key_reused']);
    const refusedAgain = await key.post(PATH, refused, refusedHeaders);
    expect([refusedAgain.status, refusedAgain.error]).toEqual([400, refusal.error]);
    expect(refusedAgain.headers['idempotency-replayed']).toBe('true');
    expect(hashed).not.toHaveBeenCalled();
    hashed.mockRestore();
  });

  it('Racing requests with a password under one Idempotency-Key make one member, who logs in with it', async () => {
    const body = { email: email(), name: 'Adam', password: PASSWORD };
    const headers = { 'Idempotency-Key': unique('idem') };
    const answers = await race(8, index =>
      (index % 2 ? key : otherInstance.as(key.token)).post<MemberRecord>(PATH, body, headers),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length).toBe(1);
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1);
    for (const answer of answers) expect([201, 409]).toContain(answer.status);
    const login = await world.anyone.post('/v1/auth/login', { email: body.email, password: PASSWORD });
    expect([login.status, login.data.member.id]).toEqual([200, made[0]?.data.id]);
  });

  it('A new member with a password can log in to the workspace', async () => {
    const address = email();
    const made = await key.post(PATH, { email: address, name: 'Adam', password: PASSWORD });
    const login = await world.anyone.post('/v1/auth/login', { email: address, password: PASSWORD });
    expect([login.status, login.data.member.id]).toEqual([200, made.data.id]);
  });

  it('A member created without a password cannot log in (401 invalid_credentials)', async () => {
    const address = email();
    await key.post(PATH, { email: address, name: 'Adam' });
    const login = await world.anyone.post('/v1/auth/login', { email: address, password: PASSWORD });
    expect([login.status, outcome(login)]).toEqual([401, 'invalid_credentials']);
  });

  it('Creating a member for a known user neither sets that user’s password nor opens this workspace to it', async () => {
    const other = await world.desk();
    const password = 'another staple entirely';
    const made = await key.post(PATH, { email: other.owner.email, name: 'Olivia', password });
    expect(made.status).toBe(201);
    const forged = await world.anyone.post('/v1/auth/login', { email: other.owner.email, password });
    expect(outcome(forged)).toBe('invalid_credentials');
    const realLogin = await world.anyone.post('/v1/auth/login', { email: other.owner.email, password: PASSWORD });
    expect(realLogin.data.workspaces.map(({ id }: { id: string }) => id)).toEqual([other.workspaceId]);
    const here = await world.anyone.post('/v1/auth/login', {
      email: other.owner.email,
      password: PASSWORD,
      workspace_id: desk.workspaceId,
    });
    expect([here.status, outcome(here)]).toEqual([404, 'not_found']);
  });
});

/** The name of each test quotes the line of the interface specification that it proves. */
describe('Members in the interface specification', () => {
  let desk: Desk;
  let key: Caller;
  beforeAll(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
  });
  const body = () => ({ email: email(), name: 'Adam' });

  it('“Creates a human member/agent without registration.”: a key creates a member who is active at once', async () => {
    const made = await key.post(PATH, body());
    expect([made.status, made.data]).toEqual([201, expect.objectContaining({ role: 'agent', status: 'active' })]);
    expect((await key.get(`${PATH}/${made.data.id}`)).data).toEqual(made.data);
  });

  it('“Only API keys may call it (ordinary JWTs may not).”: creating a member with a JWT is 401 api_key_required', async () => {
    const admin = await world.colleague(desk, { role: 'admin' });
    const visitor = await world.visitor(desk);
    for (const api of [desk.owner.api, admin.api, visitor.api, world.as(desk.owner.refreshToken)]) {
      const refused = await api.post(PATH, body());
      expect([refused.status, outcome(refused)]).toEqual([401, 'api_key_required']);
    }
    expect((await world.anyone.post(PATH, body())).status).toBe(401);
  });

  it('“Optional header Idempotency-Key”: a member is created once per key, and also without the header', async () => {
    const [request, headers] = [body(), { 'Idempotency-Key': unique('idem') }];
    const made = await key.post(PATH, request, headers);
    const again = await key.post(PATH, request, headers);
    expect([made.status, again.status, again.data]).toEqual([201, 201, made.data]);
    expect((await key.post(PATH, body())).status).toBe(201);
  });

  it('“GET /ws/agent | rejected | Missing or invalid token; deactivated member”: the handshake is 401 or 403', async () => {
    const member = await world.colleague(desk);
    await deactivate(key, member.memberId);
    for (const [query, status] of [
      [{}, 401],
      [{ token: 'nonsense' }, 401],
      [{ token: member.token }, 403],
    ] as const) {
      const refused = await world.socket('agent', query).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refused);
      expect((refused as Refused).status).toBe(status);
    }
  });

  it('“The server validates an API key and derives the workspace context from it.”: the body’s workspace_id is ignored', async () => {
    const other = await world.desk();
    const made = await key.post(PATH, { ...body(), workspace_id: other.workspaceId });
    expect((await key.get(`${PATH}/${made.data.id}`)).status).toBe(200);
    expect((await other.owner.api.get(`${PATH}/${made.data.id}`)).status).toBe(404);
  });
});
