import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { desk, world } from '../support/desk-for-each.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { loggedOf, sessionBySso, sessionsOf } from '../support/sso.js';
import { readJwt } from '../support/tokens.js';
import type { Agent, Desk } from '../support/world.js';
import { PASSWORD, unique } from '../support/world.js';

const PATH = '/v1/auth/agent-token';

let key: Caller;
beforeEach(async () => {
  key = await world.apiKey(desk);
});

/** Registers another workspace for the same user. */
async function createSecondDesk(agent: { email: string }): Promise<Desk> {
  const session = await world.anyone.post('/v1/auth/register', {
    workspace_name: unique('Second'),
    name: 'Olivia',
    email: agent.email,
    password: PASSWORD,
  });
  expect(session.status).toBe(201);
  const owner = world.agentOf(session.data, agent.email);
  const [channel] = (await owner.api.get('/v1/channels')).data.items;
  return { owner, workspaceId: owner.workspaceId, channelId: channel.id, widgetToken: channel.widget_token };
}

async function createToken(caller: Caller, body: object = {}): Promise<Json> {
  const answer = await caller.post(PATH, body);
  if (answer.status !== 200) throw new Error(`no token: ${JSON.stringify(answer.body)}`);
  return answer.data;
}

const sessionIdOf = (token: string) => readJwt(token).claims.sid as string;

async function readFamily(token: string): Promise<Json> {
  const [row] = await world.app.database.query(
    'SELECT family_id, expires_at, workspace_bound, api_key_id, channel_ids FROM session WHERE id = $1',
    [sessionIdOf(token)],
  );
  return row;
}

describe('POST /v1/auth/agent-token by API key', () => {
  let agent: Agent;
  beforeEach(async () => {
    agent = await world.colleague(desk);
  });

  it('A key gets an agent token: "Returns the same shape as the SSO exchange response"', async () => {
    const [minted, exchanged] = [
      await createToken(key, { email: agent.email, channel_ids: [desk.channelId] }),
      await sessionBySso(world, key, agent.email, [desk.channelId]),
    ];
    expect(Object.keys(minted)).toEqual(Object.keys(exchanged));
    expect({ ...minted, token: '', refresh_token: '' }).toEqual({ ...exchanged, token: '', refresh_token: '' });
    expect((await world.as(minted.token).get('/v1/auth/me')).data.member.id).toBe(agent.memberId);
  });

  it('A key sets the channel scope of an agent token as of an SSO ticket, and invalid ids are 400', async () => {
    const scopeOf = async (body: object) => (await createToken(key, { email: agent.email, ...body })).scope;
    expect(await scopeOf({})).toEqual({ type: 'all', channel_ids: null });
    expect(await scopeOf({ channel_ids: [] })).toEqual({ type: 'channels', channel_ids: [] });
    const some = [desk.channelId];
    expect(await scopeOf({ channel_ids: some })).toEqual({ type: 'channels', channel_ids: some });
    const elsewhere = (await world.desk()).channelId;
    for (const channel_ids of [null, [newId()], [elsewhere], ['x'], [...some, ...some]]) {
      const refused = await key.post(PATH, { email: agent.email, channel_ids });
      expect([channel_ids, refused.status, refused.error.code]).toEqual([channel_ids, 400, 'validation_failed']);
    }
  });

  it('A key gets 400 for a malformed e-mail and 404 for one without an active member', async () => {
    const missing = await key.post(PATH, {});
    expect([missing.status, missing.error.code]).toEqual([400, 'validation_failed']);
    expect(missing.error.details).toEqual([{ field: 'email', code: 'required', message: expect.any(String) }]);
    expect((await key.post(PATH)).status).toBe(400);
    for (const email of [null, 7, 'nobody']) expect((await key.post(PATH, { email })).status).toBe(400);
    const elsewhere = await world.desk();
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    for (const email of [`${unique('nobody')}@example.com`, elsewhere.owner.email, agent.email]) {
      const refused = await key.post(PATH, { email });
      expect([refused.status, refused.error.code]).toEqual([404, 'member_not_found']);
    }
    expect(await sessionsOf(world, agent.memberId)).toBe(1);
  });

  it('A key cannot create an agent token from a browser (403), an agent can', async () => {
    const browsers: Record<string, string>[] = [{ Origin: 'https://shop.example' }, { 'Sec-Fetch-Site': 'cross-site' }];
    for (const headers of browsers) {
      const refused = await key.post(PATH, { email: agent.email }, headers);
      expect([refused.status, refused.error.code]).toEqual([403, 'browser_not_allowed']);
      expect((await agent.api.post(PATH, {}, headers)).status).toBe(200);
    }
  });

  it('A key needs the scope sso:write to create an agent token (403 forbidden without it)', async () => {
    const narrow = await world.apiKey(desk, { scopes: ['members:read'] });
    const refused = await narrow.post(PATH, { email: agent.email });
    expect([refused.status, refused.error.code]).toEqual([403, 'forbidden']);
    const enough = await world.apiKey(desk, { scopes: ['sso:write'] });
    expect((await enough.post(PATH, { email: agent.email })).status).toBe(200);
  });

  it('A key creates agent tokens for its own workspace, even if the body names another one', async () => {
    const second = await createSecondDesk(desk.owner);
    const minted = await createToken(key, { email: desk.owner.email, workspace_id: second.workspaceId });
    expect(minted.workspace.id).toBe(desk.workspaceId);
  });

  it('An agent token made by a key is bound to the workspace, recorded, and can end with the key', async () => {
    const made = await desk.owner.api.post('/v1/api-keys', { name: 'stolen' });
    const minted = await createToken(world.as(made.data.key), { email: agent.email });
    expect(await readFamily(minted.token)).toMatchObject({ workspace_bound: true, api_key_id: made.data.id });
    const started = (await loggedOf(world, desk.workspaceId, 'session.started')).at(-1);
    expect(started.actor).toEqual({ type: 'api_key', id: made.data.id });
    expect(started.payload).toMatchObject({ method: 'agent_token', member_id: agent.memberId });
    const grown = await createToken(world.as(minted.token), { channel_ids: [] });
    await desk.owner.api.delete(`/v1/api-keys/${made.data.id}?end_sessions=true`);
    for (const { token } of [minted, grown]) {
      const dead = await world.as(token).get('/v1/auth/me');
      expect([dead.status, dead.error.code]).toEqual([401, 'token_revoked']);
    }
  });
});

describe('POST /v1/auth/agent-token by an agent', () => {
  it('Only agents and keys can create agent tokens (401 for visitors and refresh tokens)', async () => {
    const visitor = await world.visitor(desk);
    expect((await world.anyone.post(PATH, {})).error.code).toBe('unauthenticated');
    for (const token of [desk.owner.refreshToken, visitor.token]) {
      expect((await world.as(token).post(PATH, {})).error.code).toBe('agent_token_required');
    }
  });

  it('An agent can narrow a session to some channels or to none', async () => {
    const other = await world.channel(desk);
    for (const channel_ids of [[other.id], []]) {
      const narrowed = await createToken(desk.owner.api, { channel_ids });
      expect(narrowed.scope).toEqual({ type: 'channels', channel_ids });
      const { items } = (await world.as(narrowed.token).get('/v1/channels')).data;
      expect(items.map(({ id }: { id: string }) => id)).toEqual(channel_ids);
      expect((await world.as(narrowed.token).get('/v1/api-keys')).error.code).toBe('scope_too_narrow');
    }
    expect((await desk.owner.api.get('/v1/auth/me')).data.scope.type).toBe('all');
  });

  it('An agent token for null, unknown, foreign or repeated channel ids is refused (400)', async () => {
    const elsewhere = await world.desk();
    const bad = [null, [newId()], [elsewhere.channelId], ['x'], [desk.channelId, desk.channelId]];
    for (const channel_ids of bad) {
      const refused = await desk.owner.api.post(PATH, { channel_ids });
      expect([channel_ids, refused.status, refused.error.code]).toEqual([channel_ids, 400, 'validation_failed']);
    }
  });

  it('An agent token never has a wider channel scope than the session it is made from', async () => {
    const [a, b, c] = [desk.channelId, (await world.channel(desk)).id, (await world.channel(desk)).id];
    const narrowed = await createToken(desk.owner.api, { channel_ids: [a, b] });
    const api = world.as(narrowed.token);
    const scopeOf = async (body: object) => (await createToken(api, body)).scope.channel_ids;
    expect(await scopeOf({})).toEqual([a, b]);
    expect(await scopeOf({ channel_ids: [b, c] })).toEqual([b]);
    expect(await scopeOf({ channel_ids: [c] })).toEqual([]);
    const empty = await createToken(api, { channel_ids: [] });
    expect((await createToken(world.as(empty.token), { channel_ids: [a, b, c] })).scope).toEqual({
      type: 'channels',
      channel_ids: [],
    });
    const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: empty.refresh_token });
    expect(refreshed.data.scope.channel_ids).toEqual([]);
  });

  it('An agent token is limited to the channels of its member, also when they change later', async () => {
    const other = await world.channel(desk);
    const scoped = await world.colleague(desk, { channel_ids: [other.id] });
    const token = await createToken(scoped.api, { channel_ids: [desk.channelId, other.id] });
    expect(token.scope).toEqual({ type: 'channels', channel_ids: [other.id] });
    await desk.owner.api.patch(`/v1/workspace/members/${scoped.memberId}`, { channel_ids: [] });
    expect((await world.as(token.token).get('/v1/auth/me')).data.scope).toEqual({ type: 'channels', channel_ids: [] });
  });

  it('An agent token narrowed to a channel keeps its list scope when that channel is deleted', async () => {
    const gone = await world.channel(desk);
    const narrowed = await createToken(desk.owner.api, { channel_ids: [gone.id] });
    await desk.owner.api.delete(`/v1/channels/${gone.id}`);
    const again = await createToken(world.as(narrowed.token));
    expect(again.scope.type).toBe('channels');
    expect((await world.as(again.token).get('/v1/channels')).data.items).toEqual([]);
  });

  it('An agent can switch to another workspace of the same user, as the member there', async () => {
    const second = await createSecondDesk(desk.owner);
    const there = await createToken(desk.owner.api, {
      workspace_id: second.workspaceId,
      channel_ids: [second.channelId],
    });
    expect(there.workspace.id).toBe(second.workspaceId);
    expect(there.member.id).toBe(second.owner.memberId);
    expect(there.scope).toEqual({ type: 'channels', channel_ids: [second.channelId] });
    expect((await world.as(there.token).get(`/v1/channels/${second.channelId}`)).status).toBe(200);
    expect((await world.as(there.token).get(`/v1/channels/${desk.channelId}`)).status).toBe(404);
    const foreign = { workspace_id: second.workspaceId, channel_ids: [desk.channelId] };
    expect((await desk.owner.api.post(PATH, foreign)).status).toBe(400);
    const all = await createToken(desk.owner.api, { workspace_id: second.workspaceId });
    expect(all.scope.type).toBe('all');
    expect((await createToken(world.as(all.token), { workspace_id: desk.workspaceId })).member.id).toBe(
      desk.owner.memberId,
    );
  });

  it("An agent cannot switch to a workspace that the user's password has not claimed (404)", async () => {
    const [stranger, unclaimed] = [await world.desk(), await world.desk()];
    const theirs = await world.apiKey(unclaimed);
    const body = { email: desk.owner.email, name: 'Olivia', role: 'admin' };
    expect((await theirs.post('/v1/workspace/members', body)).status).toBe(201);
    for (const workspace_id of [newId(), stranger.workspaceId, unclaimed.workspaceId]) {
      const refused = await desk.owner.api.post(PATH, { workspace_id });
      expect([refused.status, refused.error.code]).toEqual([404, 'not_found']);
    }
    for (const workspace_id of ['x', null, 7]) {
      expect((await desk.owner.api.post(PATH, { workspace_id })).status).toBe(400);
    }
  });

  it('An agent who is deactivated in the other workspace gets 403 member_deactivated', async () => {
    const second = await createSecondDesk(desk.owner);
    const heir = await world.colleague(second, { role: 'admin' });
    await second.owner.api.patch(`/v1/workspace/members/${heir.memberId}`, { role: 'owner' });
    await heir.api.post(`/v1/workspace/members/${second.owner.memberId}/deactivate`);
    const refused = await desk.owner.api.post(PATH, { workspace_id: second.workspaceId });
    expect([refused.status, refused.error.code]).toEqual([403, 'member_deactivated']);
  });

  it("An agent who sends an e-mail gets a token for itself, not for that e-mail's member", async () => {
    const agent = await world.colleague(desk);
    expect((await createToken(agent.api, { email: desk.owner.email })).member.id).toBe(agent.memberId);
  });

  it('A narrowed session and sessions derived from it cannot leave the workspace (403)', async () => {
    const second = await createSecondDesk(desk.owner);
    const narrowed = await createToken(desk.owner.api, { channel_ids: [desk.channelId] });
    const again = await createToken(world.as(narrowed.token), { channel_ids: [desk.channelId] });
    const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: narrowed.refresh_token });
    for (const { token } of [narrowed, again, refreshed.data]) {
      const refused = await world.as(token).post(PATH, { workspace_id: second.workspaceId });
      expect([refused.status, refused.error.code]).toEqual([403, 'workspace_bound']);
      expect((await world.as(token).post(PATH, { workspace_id: desk.workspaceId })).status).toBe(200);
    }
  });

  it('A session minted by a key and sessions derived from it cannot leave the workspace (403)', async () => {
    const second = await createSecondDesk(desk.owner);
    const [bySso, byToken] = [
      await sessionBySso(world, key, desk.owner.email),
      await createToken(key, { email: desk.owner.email }),
    ];
    for (const minted of [bySso, byToken]) {
      expect(minted.scope.type).toBe('all');
      const grown = await createToken(world.as(minted.token));
      const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: grown.refresh_token });
      for (const { token } of [minted, grown, refreshed.data]) {
        for (const workspace_id of [second.workspaceId, newId()]) {
          const refused = await world.as(token).post(PATH, { workspace_id });
          expect([refused.status, refused.error.code]).toEqual([403, 'workspace_bound']);
        }
        const { workspaces } = (await world.as(token).get('/v1/auth/me')).data;
        expect(workspaces.map(({ id }: { id: string }) => id)).toEqual([desk.workspaceId]);
      }
      expect(await readFamily(grown.token)).toMatchObject({ workspace_bound: true });
    }
  });

  it('An agent token inherits the expiry of its session family, so none outlives the sign-in', async () => {
    const second = await createSecondDesk(desk.owner);
    world.app.clock.advance(6 * 24 * 3600);
    const { data: fresh } = await world.anyone.post('/v1/auth/refresh', { refresh_token: desk.owner.refreshToken });
    const there = await createToken(world.as(fresh.token), { workspace_id: second.workspaceId });
    const back = await createToken(world.as(there.token), { workspace_id: desk.workspaceId });
    const [first, ...grown] = await Promise.all([fresh, there, back].map(({ token }) => readFamily(token)));
    for (const { family_id, expires_at } of grown) {
      expect({ family_id, expires_at }).toEqual({ family_id: first.family_id, expires_at: first.expires_at });
    }
    world.app.clock.advance(24 * 3600);
    for (const { refresh_token } of [fresh, there, back]) {
      const late = await world.anyone.post('/v1/auth/refresh', { refresh_token });
      expect([late.status, late.error.code]).toEqual([401, 'token_expired']);
    }
  });

  it('A logout ends the whole session family in every workspace, sockets included', async () => {
    const second = await createSecondDesk(desk.owner);
    const there = await createToken(desk.owner.api, { workspace_id: second.workspaceId });
    const socket = await world.agentSocket(world.agentOf(there, desk.owner.email));
    await world.anyone.post('/v1/auth/logout', { refresh_token: desk.owner.refreshToken });
    expect((await world.as(there.token).get('/v1/auth/me')).error.code).toBe('token_revoked');
    await socket.end();
    expect((await second.owner.api.get('/v1/auth/me')).status).toBe(200);
  });
});
