import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AgentClient,
  enterFromPage,
  items,
  ServerClient,
  VisitorClient,
  type AgentTokens,
  type OpenPage,
  type StoredVisitorSession,
} from '../../clients/sdk/src/index.js';
import { verifyWebhook, type BotDelivery, type WebhookEvent } from '../../clients/sdk/src/webhooks.js';
import { BotServer, sendJson, StreamedReply } from '../support/bot-server.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { indexed } from '../support/found.js';
import { LOCAL_WEBHOOKS, WebhookReceiver, type Received } from '../support/webhook-receiver.js';
import type { Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

let world: World;
let desk: Desk;
let server: ServerClient;
let calls: string[];

/** Options for the real service, which record the calls of the clients. */
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
  world = await World.start({ ...LOCAL_WEBHOOKS, DASHBOARD_URL: 'https://desk.example.com/inbox?theme=dark' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  calls = [];
  world.app.clock.reset();
  desk = await world.register();
  const key = await world.apiKey(desk);
  server = new ServerClient({ ...options(), apiKey: key.token! });
});

describe('The server client with the real service', () => {
  it('A server creates a member and an SSO ticket, and the member exchanges the ticket for a session', async () => {
    const made = await server.members.create({ email: address(), name: 'Mia' });
    const { redirect_url } = await server.sso.ticket({ email: made.email, channel_ids: [desk.channelId] });
    const [base, ticket = ''] = redirect_url.split('#sso_ticket=');
    expect(base).toBe('https://desk.example.com/inbox?theme=dark');
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

  it('A server and an agent search through all pages', async () => {
    const visitor = await world.visitor(desk, { name: 'Quince' });
    const { id } = await world.conversation(visitor, 'A quince, please');
    await desk.owner.api.post(`/v1/conversations/${id as string}/messages`, { content: 'Two quinces' });
    await indexed(world);
    const types: string[] = [];
    for await (const item of items(next => server.search({ query: 'quince', limit: 1, ...next })))
      types.push(item.type);
    expect(types).toEqual(['message', 'message', 'contact']);
    const agent = client();
    agent.restore({ token: desk.owner.token, refresh_token: desk.owner.refreshToken });
    const [hit] = (await agent.search({ query: '"a quince"', in: 'messages' })).items;
    expect(hit?.message?.content?.slice(...(hit.highlights.content?.[0] ?? []))).toBe('A quince');
  });

  it('A server opens a session for a member without a ticket, and ending the key’s sessions ends it', async () => {
    const { email, id } = await server.members.create({ email: address(), name: 'Mia' });
    const agent = client();
    agent.restore(await server.agentToken({ email }));
    expect((await agent.me()).member.id).toBe(id);
    const otherServer = new ServerClient({ ...options(), apiKey: (await world.apiKey(desk)).token! });
    const first = (await otherServer.apiKeys.list()).items.at(-1);
    await otherServer.apiKeys.revoke(first!.id, { endSessions: true });
    await expect(agent.me()).rejects.toMatchObject({ status: 401, code: 'token_revoked' });
    await expect(server.workspace.get()).rejects.toMatchObject({ status: 401 });
  });

  it('A server changes, deactivates and reactivates members', async () => {
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

  it('A server reads events and continues from its cursor', async () => {
    // an event is listed once no older transaction is open in the whole PostgreSQL cluster
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

  it('A server snoozes, hands off and reopens a conversation, and its visitor ends the chat', async () => {
    await server.channels.update(desk.channelId, { widget_config: { features: { end_chat: true } } });
    const visitor = await VisitorClient.start({ ...options(), widgetToken: desk.widgetToken });
    const { id } = (await visitor.startConversation('Hello?')).conversation;
    expect(await server.conversations.snooze(id)).toMatchObject({ status: 'snoozed', snoozed_until: null });
    await visitor.send(id, 'Are you there?');
    const handedOff = await server.conversations.handOff(id, { reason: 'billing', summary: 'Paid twice' });
    expect(handedOff).toMatchObject({ status: 'open', handoff: { reason: 'billing', summary: 'Paid twice' } });
    expect(await visitor.resolve(id)).toMatchObject({ status: 'resolved' });
    expect(await server.conversations.reopen(id)).toMatchObject({ status: 'open', reopened_count: 1 });
  });

  it('An agent edits and unsends its messages, and those of nobody else', async () => {
    const visitor = await VisitorClient.start({ ...options(), widgetToken: desk.widgetToken });
    const { conversation, message } = await visitor.startConversation('Hello?');
    const agent = client();
    await agent.login({ email: desk.owner.email, password: PASSWORD });
    const { id } = await agent.conversations.send(conversation.id, 'Helo');
    expect(await agent.conversations.edit(conversation.id, id, { content: 'Hello' })).toMatchObject({
      content: 'Hello',
      edited_at: expect.any(String),
    });
    expect(await agent.conversations.unsend(conversation.id, id)).toEqual({ id, deleted: true });
    const { items } = await agent.conversations.messages(conversation.id);
    expect(items).toContainEqual(expect.objectContaining({ id, content: null, deleted_at: expect.any(String) }));
    const foreign = agent.conversations.unsend(conversation.id, message.id);
    await expect(foreign).rejects.toMatchObject({ status: 403, code: 'not_sender' });
  });

  it('A server reads the audit log', async () => {
    const made = await server.members.create({ email: address(), name: 'Mia' });
    const entry = await eventually(
      async () => (await server.workspace.auditLog({ action: 'member.*', subject_id: made.id })).items[0],
      20_000,
    );
    expect(entry).toMatchObject({ action: 'member.created', actor: { type: 'api_key' }, subject: { id: made.id } });
    await expect(server.workspace.auditLog({ action: 'nonsense' })).rejects.toMatchObject({ status: 400 });
  });

  it('A server creates, changes and deletes bots and rotates their secrets', async () => {
    const idempotencyKey = unique('bot');
    const made = await server.bots.create({ name: 'Robin' }, { idempotencyKey });
    expect(await server.bots.create({ name: 'Robin' }, { idempotencyKey })).toEqual(made);
    expect((await server.bots.update(made.id, { status: 'disabled' })).status).toBe('disabled');
    expect((await server.bots.rotateSecret(made.id)).secret).not.toBe(made.secret);
    expect((await server.bots.list()).items).toEqual([await server.bots.get(made.id)]);
    expect(await server.bots.delete(made.id)).toEqual({ id: made.id, deleted: true });
  });
});

describe('Bots and webhooks with the real service', () => {
  const schemas = (JSON.parse(readFileSync('docs/generated/openapi.json', 'utf8')) as Json).components.schemas;

  /** The fields that a delivery has of a documented view. */
  const fieldsOf = (view: string, ...without: string[]) =>
    Object.keys(schemas[view].properties as object)
      .filter(name => !without.includes(name))
      .sort();
  const verified = <Body extends object>({ text, headers }: Received, secret: string) =>
    verifyWebhook<Body>(text, headers, secret);

  /** Creates a bot with a server on this machine, and routes the desk's channel to it. */
  async function startBot(): Promise<{ id: string; secret: string; bot: BotServer }> {
    const bot = await BotServer.start();
    const made = await server.bots.create({ name: 'Robin', webhook_url: bot.receiver.url });
    bot.receiver.secrets.push(made.secret);
    await server.channels.update(desk.channelId, { routing: { bot_id: made.id } });
    return { ...made, bot };
  }

  it('A bot’s delivery is verified and has the fields of its type, and the visitor’s socket shows the draft', async () => {
    const { secret, bot } = await startBot();
    const response = new Promise<ServerResponse>(resolve => bot.reply((_delivery, opened) => resolve(opened)));
    const visitor = await VisitorClient.start({ ...options(), widgetToken: desk.widgetToken });
    const socket = await visitor.connect();
    const states: string[] = [];
    socket.on('message.draft', ({ data }) => states.push(`${data.state}: ${data.text}`));
    const { id } = (await visitor.startConversation('Where is my parcel?')).conversation;
    const stream = new StreamedReply(await response);
    const streaming = socket.waitFor('message.draft');
    stream.send('delta', { text: 'It arrives' });
    const { data } = await streaming;
    const done = socket.waitFor('message.draft', frame => frame.data.state === 'done');
    stream.send('delta', { text: ' today.' });
    stream.end();
    await done;
    expect(states.at(0)).toBe('streaming: It arrives');
    expect(states.at(-1)).toBe('done: It arrives today.');
    expect((await visitor.messages(id)).items.at(-1)?.metadata).toEqual({ draft_id: data.draft_id });
    socket.close();

    const delivery = verified<BotDelivery>(await bot.next('message.created', id), secret);
    if (delivery.event !== 'message.created') throw new Error(`unexpected ${delivery.event}`);
    expect(Object.keys(delivery).sort()).toEqual([
      'contact',
      'conversation',
      'delivery_id',
      'event',
      'history',
      'message',
    ]);
    expect(Object.keys(delivery.conversation).sort()).toEqual(fieldsOf('ConversationView', 'contact'));
    expect(Object.keys(delivery.message).sort()).toEqual(fieldsOf('MessageView'));
    expect(Object.keys(delivery.contact).sort()).toEqual(fieldsOf('ContactView', 'presence', 'duplicates'));
    await bot.receiver.stop();
  });

  it('A server tests its bot, and shows it as typing until people take over', async () => {
    const { id, secret, bot } = await startBot();
    bot.answerWith('It works.');
    expect(await server.bots.test(id)).toMatchObject({ ok: true, status: 200, messages: [{ content: 'It works.' }] });
    const [tested] = bot.of('test');
    const delivery = verified<BotDelivery>(tested!, secret);
    if (delivery.event !== 'test') throw new Error(`unexpected ${delivery.event}`);
    expect(Object.keys(delivery.conversation).sort()).toEqual(['bot_id', 'contact_id', 'id', 'number', 'workspace_id']);

    bot.reply((_delivery, response) => sendJson(response, {}));
    const visitor = await VisitorClient.start({ ...options(), widgetToken: desk.widgetToken });
    const conversation = (await visitor.startConversation('Hello?')).conversation.id;
    await bot.next('message.created', conversation);
    expect(await server.conversations.typing(conversation, id)).toEqual({
      conversation_id: conversation,
      expires_in_ms: 8000,
    });
    await server.conversations.handOff(conversation);
    await expect(server.conversations.typing(conversation, id)).rejects.toMatchObject({ code: 'bot_not_in_control' });
    const ended = verified<BotDelivery>(await bot.next('conversation.ended', conversation), secret);
    expect(ended).toMatchObject({ event: 'conversation.ended', reason: 'handed_off' });
    await bot.receiver.stop();
  });

  it('A server creates, tests, replays and deletes webhooks, and an admin retries their deliveries', async () => {
    const receiver = await WebhookReceiver.start();
    const made = await server.webhooks.create({ url: receiver.url, events: ['message.*'] });
    const { secret } = await server.webhooks.rotateSecret(made.id);
    receiver.secrets.push(secret);
    expect(await server.webhooks.test(made.id)).toMatchObject({ ok: true, status: 200, body: 'ok' });
    await world.conversation(await world.visitor(desk), 'Hello?');
    const received = await receiver.find(({ body }) => body.type === 'message.created', 20_000);
    expect(Object.keys(verified<WebhookEvent>(received, secret)).sort()).toEqual([
      'cursor',
      'data',
      'id',
      'timestamp',
      'type',
      'workspace_id',
    ]);
    expect(verified<WebhookEvent>(received, made.secret)).toEqual(received.body);

    const agent = client();
    agent.restore({ token: desk.owner.token, refresh_token: desk.owner.refreshToken });
    const delivery = await eventually(
      async () => (await agent.webhooks.deliveries(made.id, { status: 'delivered' })).items[0],
    );
    expect(delivery).toMatchObject({ event: 'message.created', event_id: received.id });
    expect((await agent.webhooks.retry(made.id, delivery.id)).id).toBe(delivery.id);
    const { created_at: from } = await server.webhooks.get(made.id);
    const to = new Date(Date.now() + 60_000).toISOString();
    expect((await server.webhooks.replay(made.id, { from, to })).queued).toBeGreaterThan(0);
    await server.webhooks.update(made.id, { enabled: false });
    await expect(agent.webhooks.retry(made.id, delivery.id)).rejects.toMatchObject({ code: 'webhook_disabled' });
    expect(await server.webhooks.delete(made.id)).toEqual({ id: made.id, deleted: true });
    await receiver.stop();
  });
});

describe('Invites with the real service', () => {
  const tokenOf = (acceptUrl: string) => acceptUrl.split('#invite=')[1] ?? '';

  it('An invite can be previewed and accepted once, and logs its member in', async () => {
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

  it('An invite can be resent with a new link, and revoked', async () => {
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

describe('The agent client with the real service', () => {
  let agent: AgentClient;
  beforeEach(async () => {
    agent = client();
    await agent.login({ email: desk.owner.email, password: PASSWORD });
  });

  it('An agent client opens a narrower session, and keeps its own scope', async () => {
    const other = await world.channel(desk);
    const savedTokens: unknown[] = [];
    const narrow = await agent.narrow(
      { channelIds: [desk.channelId] },
      { onTokens: tokens => savedTokens.push(tokens?.token) },
    );
    expect(savedTokens).toEqual([narrow.tokens?.token]);
    expect((await narrow.channels.list()).items.map(item => item.id)).toEqual([desk.channelId]);
    await expect(narrow.channels.get(other.id)).rejects.toMatchObject({ status: 404 });
    await expect(narrow.apiKeys.create({ name: 'x' })).rejects.toMatchObject({ status: 403, code: 'scope_too_narrow' });
    await expect(narrow.switchWorkspace(desk.workspaceId)).resolves.toBeInstanceOf(AgentClient);
    expect((await agent.channels.list()).items).toHaveLength(2);
    await narrow.logout();
    await expect(agent.me()).rejects.toMatchObject({ status: 401, code: 'token_revoked' });
  });

  it('An agent socket stays open beyond the expiry of its token', async () => {
    const socket = await agent.connect();
    const closings: number[] = [];
    socket.on('closed', ({ code }) => closings.push(code));
    const shown = socket.waitFor('authenticated');
    world.app.clock.advance(14 * 60 + 30);
    await shown;
    world.app.clock.advance(60);
    const created = socket.waitFor('conversation.created');
    await world.conversation(await world.visitor(desk));
    await created;
    socket.close();
    expect([closings, calls.filter(call => call.endsWith('/refresh')).length]).toEqual([[1000], 1]);
  });

  it('An agent client switches to another workspace of its user, which a narrower session cannot', async () => {
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

describe('Entering the dashboard with an SSO ticket', () => {
  const page = globalThis as { document?: object; location?: object; history?: object };
  let replaced: string[];

  /** A page at this address; each replaced address is added to `replaced`. */
  function pageAt(href: string): OpenPage {
    const location = { href };
    const replaceState = (_state: unknown, _unused: string, url: string) => {
      location.href = url;
      replaced.push(url);
    };
    return { location, history: { state: { key: 'router' }, replaceState } };
  }

  let link: string;
  beforeEach(async () => {
    replaced = [];
    const { email } = await server.members.create({ email: address(), name: 'Mia' });
    link = (await server.sso.ticket({ email })).redirect_url;
  });
  afterEach(() => {
    delete page.document;
    delete page.location;
    delete page.history;
  });

  it('`enterFromPage` logs the member in and removes the ticket from the address', async () => {
    const agent = client();
    const window = pageAt(link);
    const session = await enterFromPage(agent, window);
    expect(agent.tokens).toEqual({ token: session!.token, refresh_token: session!.refresh_token });
    expect(replaced).toEqual(['https://desk.example.com/inbox?theme=dark']);
    expect(await enterFromPage(agent, window)).toBeNull();
    expect(exchanges()).toHaveLength(1);
  });

  it('`enterFromPage` uses the global window by default, and returns null outside of pages', async () => {
    expect(await enterFromPage(client())).toBeNull();
    Object.assign(page, { document: {}, ...pageAt(link) });
    expect(await enterFromPage(client())).toMatchObject({ token_type: 'Bearer' });
    expect(replaced).toHaveLength(1);
  });

  it('`enterFromPage` exchanges a ticket once when it runs several times, with one client or two', async () => {
    const [agent, secondClient] = [client(), client()];
    const window = pageAt(link);
    const runs = await Promise.all([
      enterFromPage(agent, window),
      enterFromPage(agent, window),
      enterFromPage(secondClient, window),
    ]);
    expect(new Set(runs.map(session => session?.token)).size).toBe(1);
    expect(exchanges()).toHaveLength(1);
    expect(replaced).toHaveLength(1);
    expect((await secondClient.me()).member).toEqual((await agent.me()).member);
  });

  it.each([
    ['view=open&', '', '#view=open'],
    ['', '&view=open&tab=2', '#view=open&tab=2'],
    ['a=b&', '&a=b', '#a=b&a=b'],
  ])('`enterFromPage` keeps the rest of the fragment: %sTICKET%s', async (before, after, left) => {
    const [base = '', ticket = ''] = link.split('#');
    await enterFromPage(client(), pageAt(`${base}#${before}${ticket}${after}`));
    expect(replaced).toEqual([`${base}${left}`]);
  });

  it('`enterFromPage` leaves an address that a router has changed meanwhile', async () => {
    const window = pageAt(link);
    const entered = enterFromPage(client(), window);
    Object.assign(window.location, { href: 'https://desk.example.com/inbox#/conversations' });
    expect(await entered).not.toBeNull();
    expect(replaced).toEqual([]);
  });

  it.each(['', '#', '#/conversations', '#my_sso_ticket=1', '#invite=x'])(
    '`enterFromPage` returns null and leaves the address when the fragment is %p',
    async fragment => {
      expect(await enterFromPage(client(), pageAt(`https://desk.example.com/${fragment}`))).toBeNull();
      expect([replaced, exchanges()]).toEqual([[], []]);
    },
  );

  it('`enterFromPage` removes an invalid ticket from the address and rejects each time', async () => {
    for (const spent of [link, `${link}&view=open`]) await enterFromPage(client(), pageAt(spent)).catch(() => null);
    const window = pageAt(link);
    const runs = await Promise.allSettled([enterFromPage(client(), window), enterFromPage(client(), window)]);
    expect(runs).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'sso_ticket_invalid' }) },
      { status: 'rejected', reason: expect.objectContaining({ code: 'sso_ticket_invalid' }) },
    ]);
    expect(window.location.href).toBe('https://desk.example.com/inbox?theme=dark');
    expect(exchanges()).toHaveLength(3);
  });

  it('`enterFromPage` keeps the ticket for another try when the service cannot be reached', async () => {
    const window = pageAt(link);
    const offline = new AgentClient({ baseUrl: world.app.url, fetch: () => Promise.reject(new TypeError('offline')) });
    await expect(enterFromPage(offline, window)).rejects.toMatchObject({ code: 'network_error' });
    expect(replaced).toEqual([]);
    expect(await enterFromPage(client(), window)).not.toBeNull();
  });
});

describe('The visitor client with the real service', () => {
  it('A visitor reads the configuration without becoming a contact', async () => {
    const { channel_name, widget_config } = await VisitorClient.config({ ...options(), widgetToken: desk.widgetToken });
    expect([channel_name, widget_config.availability.online]).toEqual([expect.any(String), expect.any(Boolean)]);
    expect((await server.contacts.list()).items).toEqual([]);
    await expect(VisitorClient.config({ ...options(), widgetToken: 'wt_unknown' })).rejects.toMatchObject({
      status: 401,
      code: 'widget_token_invalid',
    });
  });

  it('A visitor continues a stored session on the next page, also two months later, as the same contact', async () => {
    const stored: StoredVisitorSession[] = [];
    const settings = { ...options(), widgetToken: desk.widgetToken, onSession: keep };
    function keep(session: StoredVisitorSession): void {
      stored.push(session);
    }
    await (await VisitorClient.start(settings)).startConversation('Hello?');
    calls = [];
    const nextPage = VisitorClient.restore(stored[0]!, settings);
    expect((await nextPage.conversations()).items).toHaveLength(1);
    expect(calls).toEqual(['GET /widget/conversations']);
    world.app.clock.advance(60 * 24 * 3600);
    const muchLater = VisitorClient.restore(stored[0]!, settings);
    const socket = await muchLater.connect();
    socket.close();
    expect((await muchLater.conversations()).items).toHaveLength(1);
    expect(stored.map(({ contactId }) => contactId)).toEqual([stored[0]!.contactId, stored[0]!.contactId]);
    expect(stored[1]!.token).not.toBe(stored[0]!.token);
  });
});

describe('Contacts with the real service', () => {
  it('A server blocks, unblocks, merges, exports and erases contacts', async () => {
    const [vera, duplicate] = [
      await world.visitor(desk, { name: 'Vera' }),
      await world.visitor(desk, { email: 'v@example.com' }),
    ];
    await world.conversation(duplicate, 'Hello?');
    expect((await server.contacts.block(vera.contactId)).blocked).toBe(true);
    expect((await server.contacts.unblock(vera.contactId)).blocked).toBe(false);
    const from = { from_id: duplicate.contactId };
    expect(await server.contacts.merge(vera.contactId, { ...from, dry_run: true })).toMatchObject({ conversations: 1 });
    expect((await server.contacts.merge(vera.contactId, from)).contact).toMatchObject({ email: 'v@example.com' });
    await expect(server.contacts.get(duplicate.contactId)).rejects.toMatchObject({
      status: 410,
      code: 'contact_merged',
    });
    const exported = await server.contacts.export(vera.contactId, { include_notes: true });
    expect(exported.messages.map(({ content }) => content)).toEqual(['Hello?']);
    expect(await server.contacts.delete(vera.contactId)).toEqual({ id: vera.contactId, deleted: true });
    await expect(server.contacts.get(vera.contactId)).rejects.toMatchObject({ status: 404 });
  });
});
