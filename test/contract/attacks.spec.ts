import { domainToASCII } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { normaliseEmail } from '../../src/kernel/email.js';
import { newId } from '../../src/kernel/ids.js';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller, Method } from '../support/http.js';
import { accept, invited } from '../support/invites.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import type { TestSocket } from '../support/socket.js';
import { Refused } from '../support/socket.js';
import { exchange, sessionBySso, ticketFor } from '../support/sso.js';
import type { Agent, Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const ATTACKER_PASSWORD = 'the password of an attacker';
const AGENT_TOKEN = '/v1/auth/agent-token';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(() => world.app.clock.reset());
afterAll(() => world.stop());

const someEmail = (name = 'victim') => `${unique(name)}@shop.example`;
const outcome = (answer: Answer<Json>) => [answer.status, answer.error?.code];

function login(email: string, password = PASSWORD, body: object = {}): Promise<Answer<Json>> {
  return world.anyone.post('/v1/auth/login', { email, password, ...body });
}

function refresh(refresh_token: string, body: object = {}): Promise<Answer<Json>> {
  return world.anyone.post('/v1/auth/refresh', { refresh_token, ...body });
}

/** Registers a workspace. An existing user with this password registers a further one. */
async function registerDesk(email: string, password = PASSWORD): Promise<Desk> {
  const body = { workspace_name: unique('Home'), name: 'Vera', email, password };
  const session = await world.anyone.post('/v1/auth/register', body);
  expect(session.status).toBe(201);
  const owner = world.agentOf(session.data, email);
  const [channel] = (await owner.api.get('/v1/channels')).data.items;
  return { owner, workspaceId: owner.workspaceId, channelId: channel.id, widgetToken: channel.widget_token };
}

async function workspacesOf(token: string): Promise<string[]> {
  const { workspaces } = (await world.as(token).get('/v1/auth/me')).data;
  return (workspaces as { id: string }[]).map(({ id }) => id);
}

async function sessionByKey(key: Caller, email: string, body: object = {}): Promise<Agent> {
  const answer = await key.post(AGENT_TOKEN, { email, ...body });
  if (answer.status !== 200) throw new Error(`no session: ${JSON.stringify(answer.body)}`);
  return world.agentOf(answer.data, email);
}

async function refusalOf(opening: Promise<TestSocket>): Promise<[number, string]> {
  const refused = await opening.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(refused instanceof Refused)) throw new Error('nobody was refused');
  return [refused.status, (refused.body as { error: { code: string } }).error.code];
}

/** Resets the password with the link mailed to the address. */
async function resetPassword(email: string, password: string): Promise<void> {
  const before = world.app.mails.length;
  await world.anyone.post('/v1/auth/password/forgot', { email });
  const mail = await eventually(() => world.app.mails.slice(before).find(({ to }) => to === email));
  const reset_token = /reset=(\S+)/.exec(mail.text)?.[1];
  expect((await world.anyone.post('/v1/auth/password/reset', { reset_token, password })).status).toBe(200);
}

async function passwordHashOf(email: string): Promise<string | null> {
  const sql = 'SELECT password_hash AS hash FROM user_account WHERE email = $1';
  const [user] = await world.app.database.query<{ hash: string | null }>(sql, [email]);
  if (!user) throw new Error(`nobody has ${email}`);
  return user.hash;
}

describe.each([
  ['without a password', {}],
  ['with a password', { password: ATTACKER_PASSWORD }],
])('Takeover through a member created by key %s with somebody else’s email', (variant, given) => {
  let victim: string;
  let home: Desk;
  let second: Desk;
  let evil: Desk;
  let key: Caller;
  let made: Answer<Json>;
  let hash: string | null;
  beforeAll(async () => {
    victim = someEmail();
    home = await registerDesk(victim);
    second = await registerDesk(victim);
    hash = await passwordHashOf(victim);
    evil = await world.desk();
    key = await world.apiKey(evil);
    made = await key.post('/v1/workspace/members', { email: victim, name: 'Vera', role: 'admin', ...given });
    expect(made.status).toBe(201);
  });
  afterEach(async () => expect(await passwordHashOf(victim)).toBe(hash));

  /** Creates a session in each way that a key allows, and sessions derived from those. */
  async function createSessions(): Promise<Json[]> {
    const bySso = await sessionBySso(world, key, victim, undefined, { rotate: true });
    const byKey = (await key.post(AGENT_TOKEN, { email: victim })).data;
    const narrowed = (await world.as(byKey.token).post(AGENT_TOKEN, { channel_ids: [evil.channelId] })).data;
    const derived = (await world.as(byKey.token).post(AGENT_TOKEN, {})).data;
    const refreshed = (await refresh((await sessionBySso(world, key, victim)).refresh_token)).data;
    return [bySso, byKey, narrowed, derived, refreshed];
  }

  it(`A key’s session of a member created ${variant} cannot reach the person’s other workspaces`, async () => {
    const conversation = await world.conversation(await world.visitor(home));
    for (const session of await createSessions()) {
      const api = world.as(session.token);
      expect(session.workspace.id).toBe(evil.workspaceId);
      for (const workspace_id of [home.workspaceId, second.workspaceId]) {
        for (const body of [{ workspace_id }, { workspace_id, channel_ids: [home.channelId] }]) {
          expect(outcome(await api.post(AGENT_TOKEN, body))).toEqual([403, 'workspace_bound']);
        }
        const again = await refresh(session.refresh_token, { workspace_id });
        expect(again.data.workspace.id).toBe(evil.workspaceId);
      }
      expect((await api.get(`/v1/conversations/${conversation.id}`)).status).toBe(404);
      const room = world.agentSocket(world.agentOf(session, victim), { room: conversation.id });
      expect(await refusalOf(room)).toEqual([404, 'not_found']);
    }
  });

  it(`No response to a key with a member created ${variant} reveals the person’s other workspaces`, async () => {
    const answers: Answer<Json>[] = [made, await key.get('/v1/workspace/members?limit=200')];
    for (const session of await createSessions()) {
      const api = world.as(session.token);
      const there = await api.post(AGENT_TOKEN, { workspace_id: home.workspaceId });
      const nowhere = await api.post(AGENT_TOKEN, { workspace_id: newId() });
      expect([there.status, there.error]).toEqual([nowhere.status, nowhere.error]);
      answers.push(there, nowhere, { ...there, body: session } as never);
      for (const path of ['/v1/auth/me', '/v1/workspace', '/v1/workspace/members', '/v1/channels', '/v1/contacts']) {
        answers.push(await api.get(path));
      }
    }
    const revealed = JSON.stringify(answers.map(({ body }) => body));
    const { name } = (await home.owner.api.get('/v1/workspace')).data;
    const secrets = [home, second].flatMap(({ workspaceId, channelId, owner }) => [
      workspaceId,
      channelId,
      owner.memberId,
    ]);
    for (const secret of [name, ...secrets]) expect(revealed).not.toContain(secret);
    expect(revealed).toContain(made.data.user_id);
  });

  it(`A member created ${variant} does not change the person’s password, and no other password works`, async () => {
    const session = await sessionByKey(key, victim);
    const again = await key.post('/v1/workspace/members', { email: victim, name: 'V', password: ATTACKER_PASSWORD });
    expect(outcome(again)).toEqual([409, 'member_exists']);
    const changed = { old_password: ATTACKER_PASSWORD, password: `${ATTACKER_PASSWORD} 2` };
    expect(outcome(await session.api.post('/v1/auth/password', changed))).toEqual([401, 'invalid_credentials']);
    const link = await invited(evil, { email: victim });
    expect(outcome(await accept(world, link.token, { password: ATTACKER_PASSWORD }))).toEqual([
      401,
      'invalid_credentials',
    ]);
    const register = { workspace_name: 'Trap', name: 'M', email: victim, password: ATTACKER_PASSWORD };
    expect(outcome(await world.anyone.post('/v1/auth/register', register))).toEqual([409, 'email_taken']);
    for (const body of [{}, { workspace_id: evil.workspaceId }, { workspace_id: home.workspaceId }]) {
      expect(outcome(await login(victim, ATTACKER_PASSWORD, body))).toEqual([401, 'invalid_credentials']);
    }
    await evil.owner.api.delete(`/v1/workspace/invites/${link.id}`);
  });

  it(`The reset link of a member created ${variant} goes to the person’s mailbox, whatever address the workspace sets`, async () => {
    const mallory = someEmail('mallory');
    const edited = await key.patch(`/v1/workspace/members/${made.data.id}`, { email: mallory, capacity: 5 });
    expect(edited.data.email).toBe(victim);
    const session = await sessionByKey(key, victim);
    await session.api.patch('/v1/workspace/members/me', { email: mallory, user_id: evil.owner.memberId });
    const before = world.app.mails.length;
    for (const email of [mallory, victim]) await session.api.post('/v1/auth/password/forgot', { email });
    await eventually(() => world.app.mails.slice(before).find(({ to }) => to === victim));
    expect(world.app.mails.slice(before).map(({ to }) => to)).toEqual([victim]);
  });

  it(`The person does not see a membership created ${variant}, and changes of it do not end the person’s sessions`, async () => {
    const personal = world.agentOf((await login(victim)).data, victim);
    const entered = await login(victim);
    const listed = (entered.data.workspaces as { id: string }[]).map(({ id }) => id);
    expect(new Set(listed)).toEqual(new Set([home.workspaceId, second.workspaceId]));
    expect(new Set(await workspacesOf(personal.token))).toEqual(new Set(listed));
    expect(outcome(await login(victim, PASSWORD, { workspace_id: evil.workspaceId }))).toEqual([404, 'not_found']);
    const session = await sessionByKey(key, victim);
    await world.anyone.post('/v1/auth/logout', { refresh_token: session.refreshToken });
    await evil.owner.api.post(`/v1/workspace/members/${made.data.id}/deactivate`);
    await evil.owner.api.post(`/v1/workspace/members/${made.data.id}/reactivate`);
    expect((await personal.api.get('/v1/auth/me')).status).toBe(200);
    expect((await refresh(personal.refreshToken)).status).toBe(200);
    const socket = await world.agentSocket(personal);
    await socket.close();
  });

  it(`A key’s sessions stay in its workspace after the person has claimed a membership created ${variant}`, async () => {
    const before = await sessionByKey(key, victim);
    const link = await invited(evil, { email: victim });
    const claimed = await accept(world, link.token);
    expect(claimed.status).toBe(201);
    // The person can switch between all three workspaces.
    expect((await workspacesOf(claimed.data.token)).length).toBe(3);
    const leaving = { workspace_id: home.workspaceId };
    expect((await world.as(claimed.data.token).post(AGENT_TOKEN, leaving)).status).toBe(200);
    for (const session of [before, await sessionByKey(key, victim)]) {
      expect(await workspacesOf(session.token)).toEqual([evil.workspaceId]);
      expect(outcome(await session.api.post(AGENT_TOKEN, leaving))).toEqual([403, 'workspace_bound']);
    }
  });
});

describe('An attacker who takes a stranger’s email first', () => {
  let desk: Desk;
  let key: Caller;
  beforeEach(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
  });

  /** Ways to create a user with any email and a chosen password, without access to its mailbox. */
  const METHODS: [string, (email: string) => Promise<Desk>][] = [
    ['by registering', email => registerDesk(email, ATTACKER_PASSWORD)],
    [
      'by an API key',
      async email => {
        const evil = await world.desk();
        const body = { email, name: 'Mallory', password: ATTACKER_PASSWORD };
        expect((await (await world.apiKey(evil)).post('/v1/workspace/members', body)).status).toBe(201);
        return evil;
      },
    ],
    [
      'by accepting its own invite',
      async email => {
        const evil = await world.desk();
        const { token } = await invited(evil, { email });
        expect((await accept(world, token, { password: ATTACKER_PASSWORD })).status).toBe(201);
        return evil;
      },
    ],
  ];

  describe.each(METHODS)('%s', (method, takeEmail) => {
    it.each([
      ['without a password', {}],
      ['with a password', { password: PASSWORD }],
    ])(
      `An attacker who took the email ${method} gains no access when a key creates its member %s`,
      async (_variant, given) => {
        const email = someEmail();
        const evil = await takeEmail(email);
        const trapped = world.agentOf((await login(email, ATTACKER_PASSWORD)).data, email);
        const made = await key.post('/v1/workspace/members', { email, name: 'Vera', role: 'admin', ...given });
        expect([made.status, made.data.name]).toEqual([201, 'Vera']);
        // The attacker keeps the password and the access that it had.
        expect(outcome(await login(email))).toEqual([401, 'invalid_credentials']);
        const again = await login(email, ATTACKER_PASSWORD);
        expect(again.data.workspaces.map(({ id }: { id: string }) => id)).toEqual([evil.workspaceId]);
        const there = { workspace_id: desk.workspaceId };
        expect(outcome(await login(email, ATTACKER_PASSWORD, there))).toEqual([404, 'not_found']);
        for (const session of [trapped, world.agentOf(again.data, email)]) {
          expect(outcome(await session.api.post(AGENT_TOKEN, there))).toEqual([404, 'not_found']);
          expect(await workspacesOf(session.token)).toEqual([evil.workspaceId]);
        }
        const change = { old_password: ATTACKER_PASSWORD, password: `${ATTACKER_PASSWORD}, changed` };
        expect((await trapped.api.post('/v1/auth/password', change)).status).toBe(200);
        expect(outcome(await login(email, change.password, there))).toEqual([404, 'not_found']);
        // The backend's user signs in by SSO and does not see the attacker's workspace.
        const session = await sessionBySso(world, key, email);
        expect(session.member.id).toBe(made.data.id);
        expect(await workspacesOf(session.token)).toEqual([desk.workspaceId]);
        const trap = { workspace_id: evil.workspaceId };
        expect(outcome(await world.as(session.token).post(AGENT_TOKEN, trap))).toEqual([403, 'workspace_bound']);
      },
    );
  });

  it('An attacker loses all sessions, including its key’s, once the mailbox’s owner sets a password', async () => {
    const email = someEmail();
    const evil = await world.desk();
    const evilKey = await world.apiKey(evil);
    await evilKey.post('/v1/workspace/members', { email, name: 'Mallory', password: ATTACKER_PASSWORD });
    const attackerSessions = [
      world.agentOf((await login(email, ATTACKER_PASSWORD)).data, email),
      await sessionByKey(evilKey, email),
    ];
    const sockets = await Promise.all(attackerSessions.map(session => world.agentSocket(session)));
    await resetPassword(email, PASSWORD);
    for (const { api, refreshToken } of attackerSessions) {
      expect(outcome(await api.get('/v1/auth/me'))).toEqual([401, 'token_revoked']);
      expect(outcome(await refresh(refreshToken))).toEqual([401, 'token_revoked']);
    }
    expect(await Promise.all(sockets.map(async socket => (await socket.end()).code))).toEqual([4502, 4502]);
    expect(outcome(await login(email, ATTACKER_PASSWORD))).toEqual([401, 'invalid_credentials']);
    // Later sessions of the key are limited to its own workspace.
    const { token } = await invited(desk, { email });
    expect((await accept(world, token)).data.workspace.id).toBe(desk.workspaceId);
    expect(await workspacesOf((await sessionByKey(evilKey, email)).token)).toEqual([evil.workspaceId]);
  });

  it('When an attacker’s registration races with a key’s member, one sets the password, which opens only its own workspace', async () => {
    const opened = { key: 0, attacker: 0 };
    for (let round = 0; round < 15; round += 1) {
      const email = someEmail();
      const body = { workspace_name: 'Trap', name: 'Mallory', email, password: ATTACKER_PASSWORD };
      const [member, trap] = await race<Answer<Json>>(2, index =>
        index === 0
          ? key.post('/v1/workspace/members', { email, name: 'Vera', password: PASSWORD })
          : world.anyone.post('/v1/auth/register', body),
      );
      expect([round, member?.status]).toEqual([round, 201]);
      const there = { workspace_id: desk.workspaceId };
      const [byKey, byAttacker] = [await login(email, PASSWORD, there), await login(email, ATTACKER_PASSWORD, there)];
      if (trap?.status === 201) {
        opened.attacker += 1;
        expect([round, byKey.status, byAttacker.status]).toEqual([round, 401, 404]);
        const api = world.as(trap.data.token);
        expect([round, (await api.post(AGENT_TOKEN, there)).status]).toEqual([round, 404]);
      } else {
        opened.key += 1;
        expect([round, trap?.error.code]).toEqual([round, 'email_taken']);
        expect([round, byKey.status, byAttacker.status]).toEqual([round, 200, 401]);
      }
    }
    expect(opened.key + opened.attacker).toBe(15);
  });
});

describe.each(['admin', 'owner'] as const)('An empty-scope ticket of an %s', role => {
  let desk: Desk;
  let second: Desk;
  let key: Caller;
  let ticketOwner: Agent;
  let session: Json;
  let api: Caller;
  let conversation: Json;
  let contactId: string;
  beforeAll(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
    ticketOwner = role === 'owner' ? desk.owner : await world.colleague(desk, { role });
    second = await registerDesk(ticketOwner.email);
    const visitor = await world.visitor(desk, { name: 'Carla', email: 'carla@example.com' });
    contactId = visitor.contactId;
    conversation = await world.conversation(visitor, 'for no eyes but those of the channel');
    session = await sessionBySso(world, key, ticketOwner.email, []);
    api = world.as(session.token);
    expect([session.member.role, session.scope]).toEqual([role, { type: 'channels', channel_ids: [] }]);
  });

  /** @returns every row of the tables that an admin can change, without the times of last use */
  async function readAllRows(): Promise<string[]> {
    const tables = ['api_key', 'invite', 'member', 'bot', 'channel', 'workspace', 'user_account', 'contact'];
    const more = ['conversation', 'message', 'sso_ticket', 'canned_response'];
    const rows = [...tables, ...more].map(table =>
      world.app.database.query<{ row: string }>(
        `SELECT '${table} ' || (to_jsonb(t) - 'last_used_at' - 'last_seen_at')::text AS row FROM ${table} t ORDER BY 1`,
      ),
    );
    return (await Promise.all(rows)).flat().map(({ row }) => row);
  }

  /** Requests that an admin may make, but not with an empty scope. */
  async function attempts(): Promise<[Method, string, object | undefined, number, string][]> {
    const { id: invite } = await invited(desk);
    const { id: bot } = (await desk.owner.api.post('/v1/bots', { name: 'Robo' })).data;
    const { id: apiKey } = (await desk.owner.api.post('/v1/api-keys', { name: 'bait' })).data;
    const { id: code } = (
      await desk.owner.api.post('/v1/canned-responses', { short_code: unique('c'), title: 'T', content: 'C' })
    ).data;
    const colleague = (await world.colleague(desk)).memberId;
    const members = '/v1/workspace/members';
    const channel = `/v1/channels/${desk.channelId}`;
    const conversationPath = `/v1/conversations/${conversation.id}`;
    const narrow = 'scope_too_narrow';
    return [
      ['get', '/v1/api-keys', undefined, 403, narrow],
      ['post', '/v1/api-keys', { name: 'mine' }, 403, narrow],
      ['delete', `/v1/api-keys/${apiKey}`, undefined, 403, narrow],
      ['delete', `/v1/api-keys/${apiKey}?end_sessions=true`, undefined, 403, narrow],
      ['post', '/v1/workspace/invites', { email: someEmail(), role: 'admin' }, 403, narrow],
      ['post', `/v1/workspace/invites/${invite}/resend`, undefined, 403, narrow],
      ['delete', `/v1/workspace/invites/${invite}`, undefined, 403, narrow],
      ['post', members, { email: someEmail(), name: 'Mallory' }, 401, 'api_key_required'],
      ['patch', `${members}/${colleague}`, { role: 'admin' }, 403, narrow],
      ['post', `${members}/${colleague}/deactivate`, undefined, 403, narrow],
      ['post', `${members}/${colleague}/reactivate`, undefined, 403, narrow],
      ['patch', '/v1/workspace', { name: 'Mine' }, 403, narrow],
      ['post', '/v1/bots', { name: 'Spy', webhook_url: 'https://example.com' }, 403, narrow],
      ['patch', `/v1/bots/${bot}`, { webhook_url: 'https://example.com' }, 403, narrow],
      ['post', `/v1/bots/${bot}/rotate-secret`, undefined, 403, narrow],
      ['delete', `/v1/bots/${bot}`, undefined, 403, narrow],
      ['post', '/v1/channels', { name: 'Mine' }, 403, narrow],
      ['patch', channel, { allowed_origins: [] }, 403, narrow],
      ['delete', channel, undefined, 403, narrow],
      ['post', `${channel}/rotate-token`, undefined, 403, narrow],
      ['post', `${channel}/rotate-identity-secret`, undefined, 403, narrow],
      ['get', channel, undefined, 404, 'not_found'],
      ['post', '/v1/auth/sso/ticket', { email: ticketOwner.email }, 401, 'api_key_required'],
      ['get', `/v1/contacts/${contactId}`, undefined, 404, 'not_found'],
      ['patch', `/v1/contacts/${contactId}`, { name: 'Gone' }, 404, 'not_found'],
      ['get', `/v1/contacts/${contactId}/conversations`, undefined, 404, 'not_found'],
      ['get', conversationPath, undefined, 404, 'not_found'],
      ['patch', conversationPath, { subject: 'Mine' }, 404, 'not_found'],
      ['get', `${conversationPath}/messages`, undefined, 404, 'not_found'],
      ['post', `${conversationPath}/messages`, { content: 'Mine' }, 404, 'not_found'],
      ['post', `${conversationPath}/take`, undefined, 404, 'not_found'],
      ['post', `${conversationPath}/assign`, { member_id: ticketOwner.memberId }, 404, 'not_found'],
      ['post', `${conversationPath}/resolve`, undefined, 404, 'not_found'],
      ['post', `${conversationPath}/read`, { seq: 1 }, 404, 'not_found'],
      ['post', '/v1/conversations', { contact_id: contactId, channel_id: desk.channelId }, 400, 'validation_failed'],
      ['post', `/v1/canned-responses/${code}/render`, { conversation_id: conversation.id }, 400, 'validation_failed'],
    ];
  }

  it(`An empty-scope session of an ${role} cannot create, change, delete or read anything`, async () => {
    const table = await attempts();
    const before = await readAllRows();
    const seen: unknown[] = [];
    for (const [method, path, body] of table) seen.push([method, path, ...outcome(await api.call(method, path, body))]);
    expect(seen).toEqual(table.map(([method, path, _body, status, code]) => [method, path, status, code]));
    expect(await readAllRows()).toEqual(before);
  });

  it(`An empty-scope session of an ${role} cannot reach webhooks or events`, async () => {
    const hook = { url: 'https://example.com', events: ['*'], include_private: true };
    for (const [method, path] of [
      ['get', '/v1/webhooks'],
      ['post', '/v1/webhooks'],
      ['post', `/v1/webhooks/${newId()}/rotate-secret`],
      ['get', '/v1/events'],
    ] as const) {
      const { status } = await api.call(method, path, method === 'post' ? hook : undefined);
      expect([path, [403, 404].includes(status)]).toEqual([path, true]);
    }
  });

  it(`An empty-scope session of an ${role} gets empty lists and zero counts`, async () => {
    for (const path of ['/v1/conversations', '/v1/contacts', '/v1/channels', '/v1/conversations?assignee=none']) {
      expect([path, (await api.get(path)).data.items]).toEqual([path, []]);
    }
    const counts = (await api.get('/v1/conversations/counts')).data;
    expect(counts).toEqual({
      mine: 0,
      unassigned: 0,
      open: 0,
      pending: 0,
      snoozed: 0,
      waiting: 0,
      mentioned_unread: 0,
    });
  });

  it(`An empty-scope session of an ${role} cannot widen its scope`, async () => {
    const empty = { type: 'channels', channel_ids: [] };
    const { channelId } = desk;
    const more = { channel_ids: [channelId], scope: { type: 'all', channel_ids: null }, role: 'owner' };
    const tokens = [session];
    for (const body of [{}, { channel_ids: [channelId] }, { ...more, email: desk.owner.email }]) {
      tokens.push((await api.post(AGENT_TOKEN, body)).data, (await refresh(session.refresh_token, body)).data);
    }
    const profile = await api.patch('/v1/workspace/members/me', { ...more, channel_ids: null, status: 'active' });
    expect(profile.data).toMatchObject({ role, channel_ids: null, status: 'active' });
    const membership = await api.patch(`/v1/workspace/members/${ticketOwner.memberId}`, {
      channel_ids: null,
      role: 'owner',
    });
    expect(outcome(membership)).toEqual([403, 'scope_too_narrow']);
    tokens.push((await refresh(session.refresh_token)).data);
    for (const { token, scope, member } of tokens) {
      expect([scope, member.role]).toEqual([empty, role]);
      expect((await world.as(token).get('/v1/auth/me')).data.scope).toEqual(empty);
      expect((await world.as(token).get('/v1/conversations')).data.items).toEqual([]);
    }
    expect(outcome(await api.post(AGENT_TOKEN, { channel_ids: null }))).toEqual([400, 'validation_failed']);
    for (const { token } of tokens) {
      const leaving = await world.as(token).post(AGENT_TOKEN, { workspace_id: second.workspaceId });
      expect(outcome(leaving)).toEqual([403, 'workspace_bound']);
    }
  });

  it(`A socket of an ${role} with an empty scope receives no conversation, and its typing reaches nobody`, async () => {
    const socket = await world.agentSocket(world.agentOf(session, ticketOwner.email));
    const room = world.agentSocket(world.agentOf(session, ticketOwner.email), { room: conversation.id });
    expect(await refusalOf(room)).toEqual([404, 'not_found']);
    const witness = await world.agentSocket(desk.owner);
    socket.send({ type: 'typing', conversation_id: conversation.id });
    await desk.owner.api.post(`/v1/conversations/${conversation.id}/messages`, { content: 'Among us.' });
    await world.conversation(await world.visitor(desk));
    await witness.next('conversation.created');
    await socket.settled();
    const types = socket.frames.map(({ type }) => type);
    expect(types.filter(type => /^(conversation|message|contact|typing)/.test(type))).toEqual([]);
    expect(witness.of('typing')).toEqual([]);
    await Promise.all([socket.close(), witness.close()]);
  });
});

describe('Look-alikes of an email', () => {
  let victim: Agent;
  let desk: Desk;
  let key: Caller;
  let name: string;
  let shop: string;
  beforeAll(async () => {
    desk = await world.desk();
    key = await world.apiKey(desk);
    [name, shop] = [unique('kim.victim'), `${unique('shop')}.example`];
    const email = `${name}@${shop}`;
    const made = await key.post('/v1/workspace/members', { email, name: 'Kim', role: 'admin', password: PASSWORD });
    expect(made.status).toBe(201);
    victim = world.agentOf((await login(email)).data, email);
  });

  /** @returns every endpoint that takes an email */
  function endpoints(email: string): Record<string, () => Promise<Answer<Json>>> {
    const other = { name: 'Mallory', password: ATTACKER_PASSWORD };
    return {
      register: () => world.anyone.post('/v1/auth/register', { workspace_name: 'Trap', email, ...other }),
      login: () => login(email),
      forgot: () => world.anyone.post('/v1/auth/password/forgot', { email }),
      member: () => key.post('/v1/workspace/members', { email, ...other }),
      invite: () => desk.owner.api.post('/v1/workspace/invites', { email }),
      ticket: () => key.post('/v1/auth/sso/ticket', { email }),
      'agent-token': () => key.post(AGENT_TOKEN, { email }),
    };
  }

  const LOCAL: [string, (local: string) => string][] = [
    ['a Cyrillic letter', local => local.replace('i', 'і')],
    ['a full-width letter', local => local.replace('v', 'ｖ')],
    ['a dotless i', local => local.replace('i', 'ı')],
    ['a dotted capital i, whose lower case is longer', local => local.replace('i', 'İ')],
    ['the Kelvin sign, whose lower case is k', local => local.replace('k', '\u212a')],
    ['a long s', local => `${local}ſ`],
    ['a combining accent', local => local.replace('i', 'i\u0301')],
    ['a mathematical letter', local => local.replace('v', '𝗏')],
    ['a ligature', local => `ﬁ${local}`],
    ['a zero-width space', local => local.replace('v', 'v\u200b')],
    ['a soft hyphen', local => local.replace('v', 'v\u00ad')],
    ['a right-to-left override', local => `\u202e${local}`],
    ['a NUL', local => `${local}\0`],
    ['a line break', local => `${local}\n`],
  ];

  /** Spellings that a resolver or mail server may treat as the same domain. */
  const DOMAIN: [string, (domain: string) => string][] = [
    ['a full-width letter', domain => domain.replace('s', 'ｓ')],
    ['a mathematical letter', domain => domain.replace('s', '𝗌')],
    ['a long s', domain => domain.replace('s', 'ſ')],
    ['an ideographic full stop', domain => domain.replace('.', '。')],
    ['a soft hyphen', domain => domain.replace('s', 's\u00ad')],
    ['a combining accent instead of an accented letter', domain => `o\u0308${domain}`],
    ['a percent escape', domain => domain.replace('s', '%73')],
    ['a tab', domain => domain.replace('s', 's\t')],
    ['a line break and a mail header', domain => `${domain}\r\nBcc: mallory@evil.example`.replace(' ', '')],
    ['a line break', domain => domain.replace('s', 's\n')],
    ['a path', domain => `${domain}/evil.example`],
    ['a query', domain => `${domain}?evil.example`],
    ['a fragment', domain => `${domain}#evil.example`],
    ['a trailing full stop', domain => `${domain}.`],
  ];

  async function expectInvalidEverywhere(email: string): Promise<void> {
    for (const [endpoint, call] of Object.entries(endpoints(email))) {
      const answer = await call();
      const details = answer.error?.details?.map(({ field }) => field);
      expect([endpoint, answer.status, details]).toEqual([endpoint, 400, ['email']]);
    }
  }

  it.each(LOCAL)('An email with %s before the @ is invalid at every endpoint (400)', async (_name, change) => {
    await expectInvalidEverywhere(`${change(name)}@${shop}`);
  });

  it.each(DOMAIN)('An email with %s after the @ is invalid at every endpoint (400)', async (_name, change) => {
    await expectInvalidEverywhere(`${name}@${change(shop)}`);
  });

  it.each([
    ['a Cyrillic domain', (domain: string) => domain.replace('o', 'о')],
    ['another Cyrillic domain in Punycode', (domain: string) => domainToASCII(domain.replace('p', 'р'))],
    ['a dotless i in the domain', (domain: string) => domain.replace('s', 'ı')],
    ['an umlaut in the domain', (domain: string) => domain.replace('o', 'ö')],
    ['another top-level domain', (domain: string) => domain.replace('.example', '.exampIe.test')],
  ])(
    'An email with %s belongs to a different user, with its own password, membership and mailbox',
    async (_name, change) => {
      const email = `${name}@${change(shop)}`.toLowerCase();
      for (const endpoint of ['ticket', 'agent-token']) {
        expect(outcome((await endpoints(email)[endpoint]?.()) as Answer<Json>)).toEqual([404, 'member_not_found']);
      }
      expect(outcome(await login(email))).toEqual([401, 'invalid_credentials']);
      const lookalike = await registerDesk(email, ATTACKER_PASSWORD);
      expect(lookalike.owner.email).not.toBe(victim.email);
      expect((await login(email, ATTACKER_PASSWORD)).data.member.id).toBe(lookalike.owner.memberId);
      expect(outcome(await login(email))).toEqual([401, 'invalid_credentials']);
      expect(outcome(await login(victim.email, ATTACKER_PASSWORD))).toEqual([401, 'invalid_credentials']);
      const there = { workspace_id: victim.workspaceId };
      expect(outcome(await lookalike.owner.api.post(AGENT_TOKEN, there))).toEqual([404, 'not_found']);
      const before = world.app.mails.length;
      await world.anyone.post('/v1/auth/password/forgot', { email });
      await eventually(() => world.app.mails[before]);
      expect(world.app.mails.slice(before).map(({ to }) => to)).toEqual([normaliseEmail(email)]);
      expect(outcome(await key.post('/v1/auth/sso/ticket', { email }))).toEqual([404, 'member_not_found']);
    },
  );

  it('An email in other letter case or with surrounding whitespace is the same user at every endpoint', async () => {
    for (const email of [victim.email.toUpperCase(), `\t${victim.email} \n`, `\ufeff${victim.email}\u3000`]) {
      expect((await login(email)).data.member.id).toBe(victim.memberId);
      expect((await sessionBySso(world, key, email)).member.id).toBe(victim.memberId);
      expect((await sessionByKey(key, email)).memberId).toBe(victim.memberId);
      expect(outcome((await endpoints(email).member?.()) as Answer<Json>)).toEqual([409, 'member_exists']);
      expect(outcome((await endpoints(email).invite?.()) as Answer<Json>)).toEqual([409, 'member_exists']);
      expect(outcome((await endpoints(email).register?.()) as Answer<Json>)).toEqual([409, 'email_taken']);
    }
  });
});

describe('The sessions of a stolen API key', () => {
  let desk: Desk;
  let member: Agent;
  let second: Desk;
  let stolen: { id: string; api: Caller };
  beforeEach(async () => {
    desk = await world.desk();
    member = await world.colleague(desk, { role: 'admin' });
    second = await registerDesk(member.email);
    const { id, key } = (await desk.owner.api.post('/v1/api-keys', { name: 'stolen' })).data;
    stolen = { id, api: world.as(key) };
  });

  /** Creates a session in each way that the key allows, and sessions derived from those. */
  async function createStolenSessions(): Promise<Agent[]> {
    const { email } = member;
    const rotating = await sessionBySso(world, stolen.api, email, undefined, { rotate: true });
    const rotated = (await refresh(rotating.refresh_token)).data;
    const narrowed = (await world.as(rotated.token).post(AGENT_TOKEN, { channel_ids: [desk.channelId] })).data;
    const byTicket = await sessionBySso(world, stolen.api, email, [desk.channelId]);
    const byKey = await sessionByKey(stolen.api, email);
    const derived = (await byKey.api.post(AGENT_TOKEN, {})).data;
    const again = (await world.as(derived.token).post(AGENT_TOKEN, { workspace_id: desk.workspaceId })).data;
    const sessions = [rotated, narrowed, byTicket, derived, again].map(session => world.agentOf(session, email));
    return [byKey, ...sessions];
  }

  it('A stolen key’s sessions are limited to its workspace, and refreshing extends them to seven days at most', async () => {
    let sessions = await createStolenSessions();
    for (let day = 0; day < 7; day += 1) {
      for (const { token, api } of sessions) {
        expect([day, await workspacesOf(token)]).toEqual([day, [desk.workspaceId]]);
        const leaving = await api.post(AGENT_TOKEN, { workspace_id: second.workspaceId });
        expect([day, ...outcome(leaving)]).toEqual([day, 403, 'workspace_bound']);
      }
      world.app.clock.advance((day === 6 ? 25 : 23.9) * 3600);
      const refreshed = await Promise.all(sessions.map(({ refreshToken }) => refresh(refreshToken)));
      if (day === 6) {
        for (const answer of refreshed) expect(outcome(answer)).toEqual([401, 'token_expired']);
        return;
      }
      sessions = refreshed.map(({ data }) => world.agentOf(data, member.email));
    }
  });

  it('Deleting a key with end_sessions ends its tokens, refresh tokens, sockets, tickets and derived sessions', async () => {
    const conversation = await world.conversation(await world.visitor(desk));
    const sessions = await createStolenSessions();
    const ticket = await ticketFor(stolen.api, member.email);
    const other = await world.apiKey(desk);
    const unaffected = [member, await sessionByKey(other, member.email), desk.owner];
    const rooms: Record<string, string>[] = [{}, { room: conversation.id as string }];
    const open = (agents: Agent[]) =>
      Promise.all(agents.flatMap(agent => rooms.map(room => world.agentSocket(agent, room))));
    const [ended, staying] = [await open(sessions), await open(unaffected)];
    const deletion = await desk.owner.api.delete(`/v1/api-keys/${stolen.id}?end_sessions=true`);
    expect(deletion.status).toBe(200);
    const codes = await Promise.all(ended.map(async socket => (await socket.end(1_000)).code));
    expect(codes).toEqual(ended.map(() => 4502));
    for (const session of sessions) {
      expect(outcome(await session.api.get('/v1/auth/me'))).toEqual([401, 'token_revoked']);
      expect(outcome(await session.api.post(AGENT_TOKEN, {}))).toEqual([401, 'token_revoked']);
      expect(outcome(await refresh(session.refreshToken))).toEqual([401, 'token_revoked']);
      expect(await refusalOf(world.agentSocket(session))).toEqual([401, 'token_revoked']);
    }
    expect(outcome(await exchange(world, ticket))).toEqual([401, 'sso_ticket_invalid']);
    for (const { api, refreshToken } of unaffected) {
      expect((await api.get('/v1/auth/me')).status).toBe(200);
      expect((await refresh(refreshToken)).status).toBe(200);
    }
    for (const socket of staying) await socket.settled();
    await Promise.all(staying.map(socket => socket.close()));
  });

  it('A stolen key’s session cannot change the password without the old one, and stays in its workspace after a change', async () => {
    const [session, sibling] = [
      await sessionByKey(stolen.api, member.email),
      await sessionByKey(stolen.api, member.email),
    ];
    const wrong = { old_password: ATTACKER_PASSWORD, password: 'what nobody has guessed' };
    expect(outcome(await session.api.post('/v1/auth/password', wrong))).toEqual([401, 'invalid_credentials']);
    expect((await session.api.post('/v1/auth/password', { ...wrong, old_password: PASSWORD })).status).toBe(200);
    expect(outcome(await sibling.api.get('/v1/auth/me'))).toEqual([401, 'token_revoked']);
    const refreshed = (await refresh(session.refreshToken)).data;
    for (const token of [session.token, refreshed.token]) {
      expect(await workspacesOf(token)).toEqual([desk.workspaceId]);
      const leaving = await world.as(token).post(AGENT_TOKEN, { workspace_id: second.workspaceId });
      expect(outcome(leaving)).toEqual([403, 'workspace_bound']);
    }
  });

  it('A stolen key’s sessions end when the mailbox’s owner resets the password, but not when a link is requested', async () => {
    const sessions = await createStolenSessions();
    const socket = await world.agentSocket(sessions[0] as Agent);
    for (const { api } of sessions) await api.post('/v1/auth/password/forgot', { email: member.email });
    expect((await sessions[0]?.api.get('/v1/auth/me'))?.status).toBe(200);
    await resetPassword(member.email, 'chosen at the mailbox');
    expect((await socket.end()).code).toBe(4502);
    for (const { api } of sessions) expect(outcome(await api.get('/v1/auth/me'))).toEqual([401, 'token_revoked']);
  });

  it('Signing out a stolen key’s sessions does not end the member’s own sessions', async () => {
    const socket = await world.agentSocket(member);
    for (const { refreshToken } of await createStolenSessions()) {
      expect((await world.anyone.post('/v1/auth/logout', { refresh_token: refreshToken })).status).toBe(200);
    }
    await socket.settled();
    expect((await member.api.get('/v1/auth/me')).status).toBe(200);
    expect((await refresh(member.refreshToken)).status).toBe(200);
    await socket.close();
  });
});

describe('A session narrowed to some channels', () => {
  let desk: Desk;
  let member: Agent;
  /** The first is the desk's default channel; the session is limited to the second. */
  let channels: Json[];
  let conversations: Json[];
  let wanderer: string;
  let contacts: string[];
  let session: Json;
  let api: Caller;
  beforeEach(async () => {
    desk = await world.desk();
    const key = await world.apiKey(desk);
    member = await world.colleague(desk, { role: 'admin' });
    const defaultChannel = (await desk.owner.api.get(`/v1/channels/${desk.channelId}`)).data;
    channels = [defaultChannel, await world.channel(desk), await world.channel(desk)];
    const visitors = await Promise.all(
      channels.map(({ widget_token }) => world.visitor({ widgetToken: widget_token })),
    );
    contacts = visitors.map(({ contactId }) => contactId);
    conversations = await Promise.all(visitors.map(visitor => world.conversation(visitor)));
    // A contact of both the session's channel and another one.
    const external_id = unique('wanderer');
    const first = await world.visitor({ widgetToken: defaultChannel.widget_token }, { external_id });
    await world.visitor({ widgetToken: channels[1]?.widget_token }, { external_id });
    wanderer = first.contactId;
    session = await sessionBySso(world, key, member.email, [channels[1]?.id]);
    api = world.as(session.token);
  });

  /** @returns indexes of the conversations that the caller can read; checks that all endpoints agree */
  async function readable(caller: Caller): Promise<number[]> {
    const { items } = (await caller.get('/v1/conversations')).data as { items: Json[] };
    const listed = conversations.flatMap(({ id }, index) => (items.some(item => item.id === id) ? [index] : []));
    const read = async (suffix: string) => {
      const answers = await Promise.all(conversations.map(({ id }) => caller.get(`/v1/conversations/${id}${suffix}`)));
      return answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    };
    expect(await read('')).toEqual(listed);
    expect(await read('/messages')).toEqual(listed);
    const { open, unassigned } = (await caller.get('/v1/conversations/counts')).data;
    expect([open, unassigned]).toEqual([listed.length, listed.length]);
    return listed;
  }

  async function readableContacts(caller: Caller): Promise<string[]> {
    const { items } = (await caller.get('/v1/contacts')).data as { items: Json[] };
    const one = await Promise.all(contacts.map(id => caller.get(`/v1/contacts/${id}`)));
    const ids = items.map(({ id }) => id as string);
    expect(one.map(({ status }) => status === 200)).toEqual(contacts.map(id => ids.includes(id)));
    return ids;
  }

  /** Sends a message in each conversation. @returns indexes of those that the socket receives */
  async function receivable(socket: TestSocket): Promise<number[]> {
    const content = unique('content');
    for (const { id } of conversations) await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content });
    await socket.settled();
    const frames = socket.of('message.created').filter(({ data }) => data.message.content === content);
    return conversations.flatMap(({ id }, index) =>
      frames.some(frame => frame.conversation_id === id) ? [index] : [],
    );
  }

  const scopeOf = async (caller: Caller) => (await caller.get('/v1/auth/me')).data.scope as Json;
  const list = (...ids: number[]) => ({ type: 'channels', channel_ids: ids.map(index => channels[index]?.id) });

  it('A narrowed session sees only conversations, counts, contacts, channels and rooms of its channels', async () => {
    expect(await readable(api)).toEqual([1]);
    expect(await readable(desk.owner.api)).toEqual([0, 1, 2]);
    expect(new Set(await readableContacts(api))).toEqual(new Set([contacts[1], wanderer]));
    expect((await api.get('/v1/channels')).data.items.map(({ id }: Json) => id)).toEqual([channels[1]?.id]);
    for (const index of [0, 2]) {
      const filtered = await api.get(`/v1/conversations?channel_id=${channels[index]?.id}`);
      expect(filtered.status === 200 ? filtered.data.items : []).toEqual([]);
      const room = world.agentSocket(world.agentOf(session, member.email), { room: conversations[index]?.id });
      expect(await refusalOf(room)).toEqual([404, 'not_found']);
    }
    const theirs = (await api.get(`/v1/contacts/${wanderer}/conversations`)).data.items;
    expect(theirs).toEqual([]);
    const socket = await world.agentSocket(world.agentOf(session, member.email));
    expect(await receivable(socket)).toEqual([1]);
    await socket.close();
  });

  it('A narrowed session whose channel is deleted still reads its conversations, and no others', async () => {
    const socket = await world.agentSocket(world.agentOf(session, member.email));
    await desk.owner.api.delete(`/v1/channels/${channels[1]?.id}`);
    const refreshed = (await refresh(session.refresh_token)).data;
    for (const token of [session.token, refreshed.token]) {
      expect(await scopeOf(world.as(token))).toEqual(list(1));
      expect(await readable(world.as(token))).toEqual([1]);
      expect((await world.as(token).get('/v1/channels')).data.items).toEqual([]);
      expect(outcome(await world.as(token).post('/v1/api-keys', { name: 'x' }))).toEqual([403, 'scope_too_narrow']);
    }
    const derived = (await world.as(refreshed.token).post(AGENT_TOKEN, {})).data;
    expect(derived.scope).toEqual(list(1));
    const later = await world.agentSocket(world.agentOf(derived, member.email));
    expect(await receivable(socket)).toEqual([1]);
    expect(await receivable(later)).toEqual([1]);
    await Promise.all([socket.close(), later.close()]);
  });

  it('A member whose channels are all deleted does not become unscoped', async () => {
    await desk.owner.api.patch(`/v1/workspace/members/${member.memberId}`, { channel_ids: [channels[2]?.id] });
    await desk.owner.api.delete(`/v1/channels/${channels[2]?.id}`);
    const signedIn = (await login(member.email)).data;
    expect(signedIn.scope).toEqual(list(2));
    expect(await readable(world.as(signedIn.token))).toEqual([2]);
    expect(outcome(await world.as(signedIn.token).get('/v1/api-keys'))).toEqual([403, 'scope_too_narrow']);
    expect(await scopeOf(api)).toEqual(list());
    expect(await readable(api)).toEqual([]);
  });

  it('A narrowed session follows changes of its member’s channels at once, in sockets and over a refresh, never beyond its own', async () => {
    const socket = await world.agentSocket(world.agentOf(session, member.email));
    const room = await world.agentSocket(world.agentOf(session, member.email), { room: conversations[1]?.id });
    const changes: [number[] | null, number[]][] = [
      [[0, 1], [1]],
      [[2], []],
      [null, [1]],
      [[], []],
      [[1], [1]],
    ];
    for (const [given, left] of changes) {
      const channel_ids = given?.map(index => channels[index]?.id) ?? null;
      const changed = await desk.owner.api.patch(`/v1/workspace/members/${member.memberId}`, { channel_ids });
      expect(changed.status).toBe(200);
      const refreshed = (await refresh(session.refresh_token)).data;
      expect(refreshed.scope).toEqual(list(...left));
      for (const token of [session.token, refreshed.token]) {
        expect([given, await scopeOf(world.as(token))]).toEqual([given, list(...left)]);
        expect([given, await readable(world.as(token))]).toEqual([given, left]);
      }
      expect(socket.of('member.updated').length).toBeGreaterThan(0);
      expect([given, await receivable(socket)]).toEqual([given, left]);
    }
    expect((await room.end()).code).toBe(4502);
    await socket.close();
  });
});
