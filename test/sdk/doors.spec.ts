import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AgentClient,
  enterFromPage,
  ServerClient,
  type AgentTokens,
  type OpenPage,
} from '../../clients/sdk/src/index.js';
import { eventually } from '../support/eventually.js';
import type { Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

let world: World;
let desk: Desk;
let server: ServerClient;
let calls: string[];

/** The service itself, and what the clients asked of it. */
const options = () => ({
  baseUrl: world.app.url,
  fetch: (url: string | URL | Request, init?: RequestInit) => {
    calls.push(`${init?.method ?? 'GET'} ${new URL(String(url)).pathname.replace('/v1', '')}`);
    return fetch(url, init);
  },
});
const client = (onTokens?: (tokens: AgentTokens | null) => void) => new AgentClient({ ...options(), onTokens });
const exchanges = () => calls.filter(call => call.endsWith('/auth/sso/exchange'));
const address = () => `${unique('member')}@example.com`;

beforeAll(async () => {
  world = await World.start({ DASHBOARD_URL: 'https://desk.example.com/inbox?theme=dark' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  calls = [];
  world.app.clock.reset();
  desk = await world.desk();
  const key = await world.apiKey(desk);
  server = new ServerClient({ ...options(), apiKey: key.token! });
});

describe('a server', () => {
  it('makes a member, sends it into the dashboard, and the member is in', async () => {
    const made = await server.members.create({ email: address(), name: 'Mia' });
    const { redirect_url } = await server.sso.ticket({ email: made.email, channel_ids: [desk.channelId] });
    const [place, ticket = ''] = redirect_url.split('#sso_ticket=');
    expect(place).toBe('https://desk.example.com/inbox?theme=dark');
    const agent = client();
    const session = await agent.exchange(ticket);
    expect(session).toMatchObject({
      member: { id: made.id },
      scope: { type: 'channels', channel_ids: [desk.channelId] },
    });
    await expect(client().exchange(ticket)).rejects.toMatchObject({ status: 401, code: 'sso_ticket_invalid' });
    await agent.refresh();
    expect((await agent.me()).scope).toEqual(session.scope);
  });

  it('gets a session for a member without a ticket, which ends with its key', async () => {
    const { email, id } = await server.members.create({ email: address(), name: 'Mia' });
    const agent = client();
    agent.restore(await server.agentToken({ email }));
    expect((await agent.me()).member.id).toBe(id);
    const own = new ServerClient({ ...options(), apiKey: (await world.apiKey(desk)).token! });
    const first = (await own.apiKeys.list()).items.at(-1);
    await own.apiKeys.revoke(first!.id, { endSessions: true });
    await expect(agent.me()).rejects.toMatchObject({ status: 401, code: 'token_revoked' });
    await expect(server.workspace.get()).rejects.toMatchObject({ status: 401 });
  });

  it('changes members, lets them go and takes them back', async () => {
    const { email, id } = await server.members.create({ email: address(), name: 'Mia', password: PASSWORD });
    const agent = client();
    await agent.login({ email, password: PASSWORD });
    expect(await server.members.update(id, { channel_ids: [], capacity: 3 })).toMatchObject({
      channel_ids: [],
      capacity: 3,
    });
    expect(await server.members.deactivate(id)).toMatchObject({ status: 'deactivated' });
    await expect(agent.me()).rejects.toMatchObject({ status: 401, code: 'token_revoked' });
    expect(await server.members.reactivate(id)).toMatchObject({ status: 'active' });
    await agent.login({ email, password: PASSWORD });
    await expect(server.members.deactivate(desk.owner.memberId)).rejects.toMatchObject({ code: 'role_too_high' });
  });

  it('reads what has happened, and goes on from where it was', async () => {
    // what happens has settled when no transaction of the cluster, whose ever it is, is older
    const before = await eventually(async () => {
      const page = await server.events();
      return page.items.some(event => event.type === 'member.created' && event.data.id === desk.owner.memberId)
        ? page
        : undefined;
    }, 20_000);
    const made = await server.members.create({ email: address(), name: 'Mia' });
    const { items, cursor, has_more } = await eventually(async () => {
      const page = await server.events({ after: before.cursor, limit: 10 });
      return page.items.length > 0 ? page : undefined;
    }, 20_000);
    expect(items).toEqual([expect.objectContaining({ type: 'member.created', data: made })]);
    expect([has_more, (await server.events({ after: cursor })).items]).toEqual([false, []]);
    await expect(server.events({ after: 'nowhere' })).rejects.toMatchObject({ status: 400, code: 'cursor_invalid' });
  });

  it('reads who did what to whom', async () => {
    const made = await server.members.create({ email: address(), name: 'Mia' });
    const entry = await eventually(
      async () => (await server.workspace.auditLog({ action: 'member.*', subject_id: made.id })).items[0],
      20_000,
    );
    expect(entry).toMatchObject({ action: 'member.created', actor: { type: 'api_key' }, subject: { id: made.id } });
    await expect(server.workspace.auditLog({ action: 'nonsense' })).rejects.toMatchObject({ status: 400 });
  });

  it('makes bots, changes them, and gives them new secrets', async () => {
    const idempotencyKey = unique('bot');
    const made = await server.bots.create({ name: 'Robin' }, { idempotencyKey });
    expect(await server.bots.create({ name: 'Robin' }, { idempotencyKey })).toEqual(made);
    expect((await server.bots.update(made.id, { status: 'disabled' })).status).toBe('disabled');
    expect((await server.bots.rotateSecret(made.id)).secret).not.toBe(made.secret);
    expect((await server.bots.list()).items).toEqual([await server.bots.get(made.id)]);
    expect(await server.bots.delete(made.id)).toEqual({ id: made.id, deleted: true });
  });
});

describe('an invite', () => {
  const tokenOf = (acceptUrl: string) => acceptUrl.split('#invite=')[1] ?? '';

  it('is looked at, accepted once, and signs in', async () => {
    const email = address();
    const invite = await server.invites.create({ email, role: 'admin' });
    const agent = client();
    const invite_token = tokenOf(invite.accept_url);
    expect(await agent.invitePreview(invite_token)).toMatchObject({ email, role: 'admin' });
    const accepting = { invite_token, name: 'Ina', password: PASSWORD };
    expect((await agent.registerUser(accepting)).member).toMatchObject({ email, role: 'admin' });
    expect((await agent.me()).member.name).toBe('Ina');
    await expect(client().registerUser(accepting)).rejects.toMatchObject({ status: 401, code: 'invite_invalid' });
    expect((await agent.invites.list({ status: 'accepted' })).items.map(item => item.id)).toEqual([invite.id]);
  });

  it('is sent again with a new link, and revoked', async () => {
    const owner = client();
    owner.restore({ token: desk.owner.token, refresh_token: desk.owner.refreshToken });
    const first = await owner.invites.create({ email: address() });
    const second = await owner.invites.resend(first.id);
    expect(second.id).toBe(first.id);
    await expect(owner.invitePreview(tokenOf(first.accept_url))).rejects.toMatchObject({ code: 'invite_invalid' });
    expect(await owner.invites.revoke(first.id)).toEqual({ id: first.id, revoked: true });
    await expect(owner.invites.resend(first.id)).rejects.toMatchObject({ status: 409, code: 'invite_not_pending' });
  });
});

describe('an agent', () => {
  let agent: AgentClient;
  beforeEach(async () => {
    agent = client();
    await agent.login({ email: desk.owner.email, password: PASSWORD });
  });

  it('narrows itself for a part of the page, and stays as wide as it was', async () => {
    const other = await world.channel(desk);
    const told: unknown[] = [];
    const narrow = await agent.narrow(
      { channelIds: [desk.channelId] },
      { onTokens: tokens => told.push(tokens?.token) },
    );
    expect(told).toEqual([narrow.tokens?.token]);
    expect((await narrow.channels.list()).items.map(item => item.id)).toEqual([desk.channelId]);
    await expect(narrow.channels.get(other.id)).rejects.toMatchObject({ status: 404 });
    await expect(narrow.apiKeys.create({ name: 'x' })).rejects.toMatchObject({ status: 403, code: 'scope_too_narrow' });
    await expect(narrow.switchWorkspace(desk.workspaceId)).resolves.toBeInstanceOf(AgentClient);
    expect((await agent.channels.list()).items).toHaveLength(2);
    await narrow.logout();
    await expect(agent.me()).rejects.toMatchObject({ status: 401, code: 'token_revoked' });
  });

  it('keeps its socket beyond the end of its token', async () => {
    const socket = await agent.connect();
    const closings: number[] = [];
    socket.on('closed', ({ code }) => closings.push(code));
    const shown = socket.waitFor('authenticated');
    world.app.clock.advance(14 * 60 + 30);
    await shown;
    world.app.clock.advance(60);
    const begun = socket.waitFor('conversation.created');
    await world.conversation(await world.visitor(desk));
    await begun;
    socket.close();
    expect([closings, calls.filter(call => call.endsWith('/refresh')).length]).toEqual([[1000], 1]);
  });

  it('works in another of its workspaces, which a narrow session does not', async () => {
    const elsewhere = client();
    const second = await elsewhere.register({
      workspace_name: unique('Second'),
      name: 'Olivia Owner',
      email: desk.owner.email,
      password: PASSWORD,
    });
    const there = await agent.switchWorkspace(second.workspace.id);
    expect((await there.me()).workspace.id).toBe(second.workspace.id);
    expect((await agent.me()).workspace.id).toBe(desk.workspaceId);
    const narrow = await agent.narrow({ channelIds: [] });
    await expect(narrow.switchWorkspace(second.workspace.id)).rejects.toMatchObject({ code: 'workspace_bound' });
  });
});

describe('a dashboard that is opened with a ticket', () => {
  const page = globalThis as { document?: object; location?: object; history?: object };
  let opened: string[];

  /** A window at this address; what it replaces its address with goes to `opened`. */
  function windowAt(href: string): OpenPage {
    const location = { href };
    const replaceState = (_state: unknown, _unused: string, url: string) => {
      location.href = url;
      opened.push(url);
    };
    return { location, history: { state: { key: 'router' }, replaceState } };
  }

  let link: string;
  beforeEach(async () => {
    opened = [];
    const { email } = await server.members.create({ email: address(), name: 'Mia' });
    link = (await server.sso.ticket({ email })).redirect_url;
  });
  afterEach(() => {
    delete page.document;
    delete page.location;
    delete page.history;
  });

  it('signs in, and has an address without the ticket then', async () => {
    const agent = client();
    const window = windowAt(link);
    const session = await enterFromPage(agent, window);
    expect(agent.tokens).toEqual({ token: session!.token, refresh_token: session!.refresh_token });
    expect(opened).toEqual(['https://desk.example.com/inbox?theme=dark']);
    expect(await enterFromPage(agent, window)).toBeNull();
    expect(exchanges()).toHaveLength(1);
  });

  it('asks its own window where it is told of none, and outside of pages nobody', async () => {
    expect(await enterFromPage(client())).toBeNull();
    Object.assign(page, { document: {}, ...windowAt(link) });
    expect(await enterFromPage(client())).toMatchObject({ token_type: 'Bearer' });
    expect(opened).toHaveLength(1);
  });

  it('exchanges once when its start runs twice, with one client or with two', async () => {
    const [agent, twin] = [client(), client()];
    const window = windowAt(link);
    const runs = await Promise.all([
      enterFromPage(agent, window),
      enterFromPage(agent, window),
      enterFromPage(twin, window),
    ]);
    expect(new Set(runs.map(session => session?.token)).size).toBe(1);
    expect(exchanges()).toHaveLength(1);
    expect(opened).toHaveLength(1);
    expect((await twin.me()).member).toEqual((await agent.me()).member);
  });

  it.each([
    ['view=open&', '', '#view=open'],
    ['', '&view=open&tab=2', '#view=open&tab=2'],
    ['a=b&', '&a=b', '#a=b&a=b'],
  ])('keeps what else stands in the fragment: %sTICKET%s', async (before, after, left) => {
    const [place = '', ticket = ''] = link.split('#');
    await enterFromPage(client(), windowAt(`${place}#${before}${ticket}${after}`));
    expect(opened).toEqual([`${place}${left}`]);
  });

  it('leaves the address alone when a router has changed it meanwhile', async () => {
    const window = windowAt(link);
    const entered = enterFromPage(client(), window);
    Object.assign(window.location, { href: 'https://desk.example.com/inbox#/conversations' });
    expect(await entered).not.toBeNull();
    expect(opened).toEqual([]);
  });

  it.each(['', '#', '#/conversations', '#my_sso_ticket=1', '#invite=x'])(
    'is none with %p behind its address, which stays',
    async fragment => {
      expect(await enterFromPage(client(), windowAt(`https://desk.example.com/${fragment}`))).toBeNull();
      expect([opened, exchanges()]).toEqual([[], []]);
    },
  );

  it('drops a ticket that is worth nothing, and says so each time', async () => {
    for (const spent of [link, `${link}&view=open`]) await enterFromPage(client(), windowAt(spent)).catch(() => null);
    const window = windowAt(link);
    const runs = await Promise.allSettled([enterFromPage(client(), window), enterFromPage(client(), window)]);
    expect(runs).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'sso_ticket_invalid' }) },
      { status: 'rejected', reason: expect.objectContaining({ code: 'sso_ticket_invalid' }) },
    ]);
    expect(window.location.href).toBe('https://desk.example.com/inbox?theme=dark');
    expect(exchanges()).toHaveLength(3);
  });

  it('keeps a ticket that nobody could be asked about, for the next try', async () => {
    const window = windowAt(link);
    const offline = new AgentClient({ baseUrl: world.app.url, fetch: () => Promise.reject(new TypeError('offline')) });
    await expect(enterFromPage(offline, window)).rejects.toMatchObject({ code: 'network_error' });
    expect(opened).toEqual([]);
    expect(await enterFromPage(client(), window)).not.toBeNull();
  });
});

describe('the people whom the workspace talks with', () => {
  it('are shut out and let in, merged, handed out and erased', async () => {
    const [vera, twin] = [
      await world.visitor(desk, { name: 'Vera' }),
      await world.visitor(desk, { email: 'v@example.com' }),
    ];
    await world.conversation(twin, 'Hello?');
    expect((await server.contacts.block(vera.contactId)).blocked).toBe(true);
    expect((await server.contacts.unblock(vera.contactId)).blocked).toBe(false);
    const from = { from_id: twin.contactId };
    expect(await server.contacts.merge(vera.contactId, { ...from, dry_run: true })).toMatchObject({ conversations: 1 });
    expect((await server.contacts.merge(vera.contactId, from)).contact).toMatchObject({ email: 'v@example.com' });
    await expect(server.contacts.get(twin.contactId)).rejects.toMatchObject({ status: 410, code: 'contact_merged' });
    const held = await server.contacts.export(vera.contactId, { include_notes: true });
    expect(held.messages.map(({ content }) => content)).toEqual(['Hello?']);
    expect(await server.contacts.delete(vera.contactId)).toEqual({ id: vera.contactId, deleted: true });
    await expect(server.contacts.get(vera.contactId)).rejects.toMatchObject({ status: 404 });
  });
});
