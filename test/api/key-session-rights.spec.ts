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

/** The owner's sessions by every way that begins with the key, and by what grows from them. */
async function mintedForOwner(): Promise<[way: string, api: Caller][]> {
  const email = desk.owner.email;
  const bySso = await sessionBySso(world, key, email, undefined, { rotate: true });
  const byKey = (await key.post(AGENT_TOKEN, { email })).data;
  const grown = (await world.as(byKey.token).post(AGENT_TOKEN, {})).data;
  const again = (await world.as(grown.token).post(AGENT_TOKEN, { workspace_id: desk.workspaceId })).data;
  const refreshed = (await world.anyone.post('/v1/auth/refresh', { refresh_token: bySso.refresh_token })).data;
  const grownRefreshed = (await world.anyone.post('/v1/auth/refresh', { refresh_token: again.refresh_token })).data;
  return [
    ['SSO exchange', world.as(bySso.token)],
    ['agent-token by key', world.as(byKey.token)],
    ['agent-token by JWT', world.as(grown.token)],
    ['agent-token by JWT, twice', world.as(again.token)],
    ['a rotated refresh', world.as(refreshed.token)],
    ['a refresh of a grown session', world.as(grownRefreshed.token)],
  ];
}

const members = (id: string) => `/v1/workspace/members/${id}`;

describe('a session of the owner that an API key minted', () => {
  it('cannot make the admin who made the key an owner, nor demote or deactivate the owner: 403 role_too_high', async () => {
    for (const [way, api] of await mintedForOwner()) {
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

  it('cannot renew, resend or revoke an invite for an owner', async () => {
    const invite = await invited(desk, { role: 'owner' });
    const path = `/v1/workspace/invites/${invite.id}`;
    for (const [way, api] of await mintedForOwner()) {
      const attempts = [
        await api.post('/v1/workspace/invites', { email: invite.email }),
        await api.post(`${path}/resend`),
        await api.delete(path),
      ];
      expect([way, attempts.map(outcome)]).toEqual([way, attempts.map(() => [403, 'role_too_high'])]);
    }
  });

  it('has the rights of an admin: it makes channels, keys and members’ changes', async () => {
    const agent = await world.colleague(desk);
    for (const [way, api] of await mintedForOwner()) {
      expect([way, (await api.post('/v1/channels', { name: 'Another' })).status]).toEqual([way, 201]);
      expect([way, (await api.post('/v1/api-keys', { name: 'Another' })).status]).toEqual([way, 201]);
      expect([way, (await api.patch(members(agent.memberId), { role: 'admin' })).status]).toEqual([way, 200]);
      expect([way, (await api.patch(members(agent.memberId), { role: 'agent' })).status]).toEqual([way, 200]);
    }
  });

  it('shows the member’s role as it is, and in `me` the role whose rights the session has', async () => {
    for (const [way, api] of await mintedForOwner()) {
      const { member, acting_role, workspaces } = (await api.get('/v1/auth/me')).data;
      expect([way, member.role, acting_role]).toEqual([way, 'owner', 'admin']);
      expect(workspaces).toEqual([{ id: desk.workspaceId, name: expect.any(String), role: 'owner' }]);
    }
  });

  it('gets no answer that the owner’s own session got under the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': unique('idem') };
    const body = { email: someEmail(), role: 'owner' };
    expect((await owner.post('/v1/workspace/invites', body, headers)).status).toBe(201);
    for (const [way, api] of await mintedForOwner()) {
      expect([way, outcome(await api.post('/v1/workspace/invites', body, headers))]).toEqual([
        way,
        [403, 'role_too_high'],
      ]);
    }
  });

  it('makes invites that are worth an admin’s: one falls when its invitee has become an owner', async () => {
    const email = someEmail();
    const made = await key.post('/v1/workspace/members', { email, name: 'Adam' });
    const [[, api]] = (await mintedForOwner()) as [[string, Caller]];
    const invite = await invited(desk, { email, role: 'admin' }, api);
    expect((await owner.patch(members(made.data.id), { role: 'owner' })).status).toBe(200);
    expect(outcome(await accept(world, invite.token))).toEqual([401, 'invite_invalid']);
    expect((await owner.get(members(made.data.id))).data.role).toBe('owner');
  });

  it('does not keep more rights than its member has: a demoted owner’s is an agent’s', async () => {
    const heir = await world.colleague(desk, { role: 'admin' });
    await owner.patch(members(heir.memberId), { role: 'owner' });
    const minted = await mintedForOwner();
    await heir.api.patch(members(desk.owner.memberId), { role: 'agent' });
    for (const [way, api] of minted) {
      expect([way, (await api.get('/v1/auth/me')).data.acting_role]).toEqual([way, 'agent']);
      expect([way, outcome(await api.post('/v1/channels', { name: 'No' }))]).toEqual([way, [403, 'forbidden']]);
    }
  });
});

describe('a session of the owner that the owner’s password opened', () => {
  it('has the owner’s rights, and so have its refreshed and grown sessions', async () => {
    const login = (await world.anyone.post('/v1/auth/login', { email: desk.owner.email, password: PASSWORD })).data;
    const refreshed = (await world.anyone.post('/v1/auth/refresh', { refresh_token: login.refresh_token })).data;
    const grown = (await world.as(login.token).post(AGENT_TOKEN, {})).data;
    for (const { token } of [login, refreshed, grown]) {
      const api = world.as(token);
      expect((await api.get('/v1/auth/me')).data).toMatchObject({ acting_role: 'owner', member: { role: 'owner' } });
      expect((await api.patch(members(admin.memberId), { role: 'owner' })).status).toBe(200);
      expect((await api.patch(members(admin.memberId), { role: 'admin' })).status).toBe(200);
    }
  });
});
