import { beforeEach, describe, expect, it } from '@jest/globals';
import { desk, owner, world } from '../support/desk-for-each.js';
import type { Answer, Caller } from '../support/http.js';
import { accept, invited, someEmail } from '../support/invites.js';
import type { Json } from '../support/json.js';
import { sessionBySso } from '../support/sso.js';
import type { Agent } from '../support/world.js';
import { PASSWORD, unique } from '../support/world.js';

const AGENT_TOKEN = '/v1/auth/agent-token';
const outcome = (answer: Answer<Json>) => [answer.status, answer.error?.code];

let admin: Agent;
let key: Caller;
beforeEach(async () => {
  admin = await world.colleague(desk, { role: 'admin' });
  const made = await admin.api.post('/v1/api-keys', { name: unique('key') });
  key = world.as(made.data.key);
});

/** Sessions of the owner that the key opens in each possible way, and sessions derived from them. */
async function ownerSessionsByKey(): Promise<[way: string, api: Caller][]> {
  const email = desk.owner.email;
  const bySso = await sessionBySso(world, key, email, undefined, { rotate: true });
  const byKey = (await key.post(AGENT_TOKEN, { email })).data;
  const derived = (await world.as(byKey.token).post(AGENT_TOKEN, {})).data;
  const again = (await world.as(derived.token).post(AGENT_TOKEN, { workspace_id: desk.workspaceId })).data;
  const refreshed = (await world.anyone.post('/v1/auth/refresh', { refresh_token: bySso.refresh_token })).data;
  const derivedRefreshed = (await world.anyone.post('/v1/auth/refresh', { refresh_token: again.refresh_token })).data;
  return [
    ['SSO exchange', world.as(bySso.token)],
    ['agent-token by key', world.as(byKey.token)],
    ['agent-token by JWT', world.as(derived.token)],
    ['agent-token by JWT, twice', world.as(again.token)],
    ['a rotated refresh', world.as(refreshed.token)],
    ['a refresh of a derived session', world.as(derivedRefreshed.token)],
  ];
}

const members = (id: string) => `/v1/workspace/members/${id}`;

describe('A session of the owner that an API key opened', () => {
  it('An owner’s session opened by a key can neither make an owner nor change the owner (403 role_too_high)', async () => {
    for (const [way, api] of await ownerSessionsByKey()) {
      const attempts = [
        await api.patch(members(admin.memberId), { role: 'owner' }),
        await api.patch(members(desk.owner.memberId), { role: 'agent' }),
        await api.patch(members(desk.owner.memberId), { name: 'Nobody' }),
        await api.post(`${members(desk.owner.memberId)}/deactivate`),
        await api.post(`${members(desk.owner.memberId)}/reactivate`),
        await api.post('/v1/workspace/invites', { email: someEmail(), role: 'owner' }),
      ];
      expect([way, attempts.map(outcome)]).toEqual([way, attempts.map(() => [403, 'role_too_high'])]);
    }
    expect((await owner.get(members(desk.owner.memberId))).data).toMatchObject({ role: 'owner', status: 'active' });
    expect((await owner.get(members(admin.memberId))).data.role).toBe('admin');
  });

  it('An owner’s session opened by a key cannot renew, resend or revoke an invite for an owner (403 role_too_high)', async () => {
    const invite = await invited(desk, { role: 'owner' });
    const path = `/v1/workspace/invites/${invite.id}`;
    for (const [way, api] of await ownerSessionsByKey()) {
      const attempts = [
        await api.post('/v1/workspace/invites', { email: invite.email }),
        await api.post(`${path}/resend`),
        await api.delete(path),
      ];
      expect([way, attempts.map(outcome)]).toEqual([way, attempts.map(() => [403, 'role_too_high'])]);
    }
  });

  it('An owner’s session opened by a key has an admin’s rights: it creates channels and keys and changes members', async () => {
    const agent = await world.colleague(desk);
    for (const [way, api] of await ownerSessionsByKey()) {
      expect([way, (await api.post('/v1/channels', { name: 'Another' })).status]).toEqual([way, 201]);
      expect([way, (await api.post('/v1/api-keys', { name: 'Another' })).status]).toEqual([way, 201]);
      expect([way, (await api.patch(members(agent.memberId), { role: 'admin' })).status]).toEqual([way, 200]);
      expect([way, (await api.patch(members(agent.memberId), { role: 'agent' })).status]).toEqual([way, 200]);
    }
  });

  it('An owner’s session opened by a key shows the member’s real role, and its effective role as `acting_role`', async () => {
    for (const [way, api] of await ownerSessionsByKey()) {
      const { member, acting_role, workspaces } = (await api.get('/v1/auth/me')).data;
      expect([way, member.role, acting_role]).toEqual([way, 'owner', 'admin']);
      expect(workspaces).toEqual([{ id: desk.workspaceId, name: expect.any(String), role: 'owner' }]);
    }
  });

  it('An owner’s session opened by a key cannot replay the answer of the owner’s own Idempotency-Key (403)', async () => {
    const headers = { 'Idempotency-Key': unique('idem') };
    const body = { email: someEmail(), role: 'owner' };
    expect((await owner.post('/v1/workspace/invites', body, headers)).status).toBe(201);
    for (const [way, api] of await ownerSessionsByKey()) {
      expect([way, outcome(await api.post('/v1/workspace/invites', body, headers))]).toEqual([
        way,
        [403, 'role_too_high'],
      ]);
    }
  });

  it('An invite made by an owner’s session from a key becomes invalid when its invitee becomes an owner', async () => {
    const email = someEmail();
    const made = await key.post('/v1/workspace/members', { email, name: 'Adam' });
    const [[, api]] = (await ownerSessionsByKey()) as [[string, Caller]];
    const invite = await invited(desk, { email, role: 'admin' }, api);
    expect((await owner.patch(members(made.data.id), { role: 'owner' })).status).toBe(200);
    expect(outcome(await accept(world, invite.token))).toEqual([401, 'invite_invalid']);
    expect((await owner.get(members(made.data.id))).data.role).toBe('owner');
  });

  it('A session opened by a key loses rights with its member: a demoted owner’s session has an agent’s rights', async () => {
    const heir = await world.colleague(desk, { role: 'admin' });
    await owner.patch(members(heir.memberId), { role: 'owner' });
    const sessions = await ownerSessionsByKey();
    await heir.api.patch(members(desk.owner.memberId), { role: 'agent' });
    for (const [way, api] of sessions) {
      expect([way, (await api.get('/v1/auth/me')).data.acting_role]).toEqual([way, 'agent']);
      expect([way, outcome(await api.post('/v1/channels', { name: 'No' }))]).toEqual([way, [403, 'forbidden']]);
    }
  });
});

describe('A session of the owner opened with the owner’s password', () => {
  it('A session opened with the owner’s password keeps the owner’s rights when refreshed or derived from', async () => {
    const login = (await world.anyone.post('/v1/auth/login', { email: desk.owner.email, password: PASSWORD })).data;
    const refreshed = (await world.anyone.post('/v1/auth/refresh', { refresh_token: login.refresh_token })).data;
    const derived = (await world.as(login.token).post(AGENT_TOKEN, {})).data;
    for (const { token } of [login, refreshed, derived]) {
      const api = world.as(token);
      expect((await api.get('/v1/auth/me')).data).toMatchObject({ acting_role: 'owner', member: { role: 'owner' } });
      expect((await api.patch(members(admin.memberId), { role: 'owner' })).status).toBe(200);
      expect((await api.patch(members(admin.memberId), { role: 'admin' })).status).toBe(200);
    }
  });
});
