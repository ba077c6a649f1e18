import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../../src/app.js';
import { SearchConsumer } from '../../src/modules/search/search.consumer.js';
import { setControl } from './bot-control.js';
import type { Collection } from './collections.js';
import { collectionsOf } from './collections.js';
import { consumed } from './consumed.js';
import { Contract } from './contract.js';
import { eventually } from './eventually.js';
import type { Route } from './routes.js';
import { routesOf } from './routes.js';
import type { Json } from './json.js';
import { Refused } from './socket.js';
import type { Agent, Desk, Visitor, World } from './world.js';
import { PASSWORD, unique } from './world.js';

/** Callers of every route, in the order of the table's columns. */
export const CALLERS = [
  'none',
  'visitor',
  'stranger',
  'agent',
  'admin',
  'owner',
  'key',
  'small key',
  'zero scope',
  'here',
  'elsewhere',
  'foreign',
  'foreign key',
] as const;
export type CallerName = (typeof CALLERS)[number];

/** A call that succeeds if the caller is permitted. */
interface Call {
  path: string;
  body?: object;
  /** Uploads a file instead of sending a body. */
  uploads?: true;
  /** True if the response reveals something about the marked channel without containing the mark. */
  reveals?: (data: Json) => boolean;
}

type Recipe = (scene: Scene, caller: CallerName) => Promise<Call> | Call;

/** Text that only rows of one channel contain. A caller without access to that channel must never read it. */
const MARK = 'the marked channel';

/** One desk with two channels. Every call concerns the first channel. */
export class Scene {
  private readonly shared = new Map<string, Promise<string>>();

  private constructor(
    readonly world: World,
    readonly desk: Desk,
    readonly channel: Json,
    readonly other: Json,
    readonly visitor: Visitor,
    readonly tokens: Record<CallerName, string | null>,
    private readonly collections: Collection[],
  ) {}

  static async set(world: World): Promise<Scene> {
    const [desk, foreign] = [await world.desk(), await world.desk()];
    const channel = await world.channel(desk, {
      name: MARK,
      single_conversation: false,
      csat_enabled: true,
      widget_config: { features: { end_chat: true } },
    });
    const other = await world.channel(desk, { name: 'Elsewhere' });
    const visitor = await world.visitor({ widgetToken: channel.widget_token }, { name: MARK, email: email() });
    const stranger = await world.visitor({ widgetToken: channel.widget_token }, { name: 'Stranger' });
    const tokenOf = async (agent: Promise<Agent>) => (await agent).token;
    const zero = await desk.owner.api.post('/v1/auth/agent-token', { channel_ids: [] });
    if (zero.status !== 200) throw new Error(`agent-token failed: ${JSON.stringify(zero.body)}`);
    const tokens = {
      none: null,
      visitor: visitor.token,
      stranger: stranger.token,
      agent: await tokenOf(world.colleague(desk)),
      admin: await tokenOf(world.colleague(desk, { role: 'admin' })),
      owner: desk.owner.token,
      key: (await world.apiKey(desk)).token,
      'small key': (await world.apiKey(desk, { scopes: ['canned-responses:read'] })).token,
      'zero scope': zero.data.token as string,
      here: await tokenOf(world.colleague(desk, { channel_ids: [channel.id] })),
      elsewhere: await tokenOf(world.colleague(desk, { role: 'admin', channel_ids: [other.id] })),
      foreign: foreign.owner.token,
      'foreign key': (await world.apiKey(foreign)).token,
    };
    return new Scene(world, desk, channel, other, visitor, tokens, collectionsIn(world.app.app));
  }

  get owner() {
    return this.desk.owner.api;
  }

  async made(path: string, body: object): Promise<Json> {
    const answer = await this.owner.post(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.data;
  }

  /** Returns one shared row for all calls that do not end it. */
  one(kind: string): Promise<string> {
    const known = this.shared.get(kind) ?? this.another(kind);
    this.shared.set(kind, known);
    return known;
  }

  async another(kind: string): Promise<string> {
    return ((await this.make(kind)) as { id: string }).id;
  }

  private make(kind: string): Promise<Json> {
    const collection = this.collections.find(({ name }) => name === kind);
    const make = MAKERS[kind] ?? (collection && (() => this.made(collection.path, collection.newRow())));
    if (!make) throw new Error(`${kind}: add a maker to the permission matrix`);
    return make(this);
  }
}

/** A webhook at a port where nothing listens. */
const WEBHOOK = { url: 'http://127.0.0.1:9/', events: ['contact.merged'] };

/** Create the rows that the reference does not say how to create, or that must carry the mark. */
const MAKERS: Record<string, (scene: Scene) => Promise<Json>> = {
  'api-keys': scene => scene.made('/v1/api-keys', { name: unique('key') }),
  channels: scene => scene.world.channel(scene.desk),
  contacts: async ({ world, channel }) => {
    const session = { name: MARK, external_id: unique('user') };
    return { id: (await world.visitor({ widgetToken: channel.widget_token }, session)).contactId };
  },
  conversations: (scene: Scene) => scene.world.conversation(scene.visitor, MARK),
  invites: (scene: Scene) => scene.made('/v1/workspace/invites', { email: email() }),
  views: (scene: Scene) =>
    scene.made('/v1/views', { name: unique('view'), filters: { channel_id: scene.channel.id }, shared: true }),
  webhooks: (scene: Scene) => scene.made('/v1/webhooks', { ...WEBHOOK, events: ['message.created'] }),
  members: async (scene: Scene) => ({ id: (await scene.world.colleague(scene.desk)).memberId }),
};

interface Options {
  body?: object;
  /** Makes a new row for each call, because the call ends it. */
  ends?: boolean;
}

/** A call on one row. */
function row(kind: string, before: string, action: string, { body, ends }: Options = {}): Recipe {
  return async scene => ({
    path: `/v1${before}/${kind}/${await (ends ? scene.another(kind) : scene.one(kind))}${action}`,
    ...(body && { body }),
  });
}

const conversation = (action: string, options?: Options): Recipe => row('conversations', '', action, options);
const widget = (action: string, options?: Options): Recipe => row('conversations', '/widget', action, options);
const plain =
  (path: string, body?: object): Recipe =>
  () => ({ path, ...(body && { body }) });
const email = () => `${unique('matrix')}@example.com`;

/** Calls of routes that are not those of a plain collection, or that must concern the marked channel. */
const RECIPES: Record<string, Recipe> = {
  'GET /v1/api-keys': plain('/v1/api-keys'),
  'POST /v1/api-keys': plain('/v1/api-keys', { name: 'another' }),
  'DELETE /v1/api-keys/{id}': row('api-keys', '', '', { ends: true }),
  'POST /v1/auth/agent-token': async (scene, caller) => ({
    path: '/v1/auth/agent-token',
    body: caller.includes('key') ? { email: await emailOf(scene) } : { channel_ids: [scene.channel.id] },
  }),
  'POST /v1/auth/invite-preview': plain('/v1/auth/invite-preview', { invite_token: 'inv_none' }),
  'POST /v1/auth/login': scene => ({
    path: '/v1/auth/login',
    body: { email: scene.desk.owner.email, password: PASSWORD },
  }),
  'POST /v1/auth/logout': async scene => ({
    path: '/v1/auth/logout',
    body: { refresh_token: (await scene.world.colleague(scene.desk)).refreshToken },
  }),
  'GET /v1/auth/me': plain('/v1/auth/me'),
  'POST /v1/auth/password': plain('/v1/auth/password', { old_password: 'not this', password: 'a better password' }),
  'POST /v1/auth/password/forgot': () => ({ path: '/v1/auth/password/forgot', body: { email: email() } }),
  'POST /v1/auth/password/reset': plain('/v1/auth/password/reset', { reset_token: 'rst_none', password: PASSWORD }),
  'POST /v1/auth/refresh': scene => ({
    path: '/v1/auth/refresh',
    body: { refresh_token: scene.desk.owner.refreshToken },
  }),
  'POST /v1/auth/register': () => ({
    path: '/v1/auth/register',
    body: { workspace_name: 'W', name: 'N', email: email(), password: PASSWORD },
  }),
  'POST /v1/auth/register-user': plain('/v1/auth/register-user', {
    invite_token: 'inv_none',
    name: 'N',
    password: PASSWORD,
  }),
  'POST /v1/auth/sso/exchange': plain('/v1/auth/sso/exchange', { ticket: 'sst_none' }),
  'POST /v1/auth/sso/ticket': async scene => ({
    path: '/v1/auth/sso/ticket',
    body: { email: await emailOf(scene) },
  }),
  'POST /v1/bots/{id}/rotate-secret': row('bots', '', '/rotate-secret'),
  'POST /v1/bots/{id}/test': row('bots', '', '/test'),
  'POST /v1/webhooks': plain('/v1/webhooks', WEBHOOK),
  'POST /v1/webhooks/{id}/rotate-secret': row('webhooks', '', '/rotate-secret'),
  'POST /v1/webhooks/{webhook_id}/test': row('webhooks', '', '/test'),
  'GET /v1/webhooks/{webhook_id}/deliveries': row('webhooks', '', '/deliveries'),
  'POST /v1/webhooks/{webhook_id}/deliveries/{id}/retry': async scene => {
    const webhook = await scene.one('webhooks');
    return { path: `/v1/webhooks/${webhook}/deliveries/${await deliveryOf(scene, webhook)}/retry` };
  },
  'POST /v1/webhooks/{webhook_id}/replay': row('webhooks', '', '/replay', {
    body: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  }),
  'POST /v1/canned-responses/{id}/render': async scene => ({
    path: `/v1/canned-responses/${await scene.one('canned-responses')}/render`,
    body: { conversation_id: await scene.one('conversations') },
  }),
  'GET /v1/reports/conversations': plain('/v1/reports/conversations'),
  'GET /v1/reports/members': plain('/v1/reports/members'),
  'GET /v1/reports/channels': plain('/v1/reports/channels'),
  'GET /v1/reports/tags': plain('/v1/reports/tags'),
  'GET /v1/reports/live': async scene => {
    await scene.one('conversations');
    return { path: '/v1/reports/live', reveals: ({ open }) => open > 0 };
  },
  'GET /v1/tags': async scene => {
    const id = await scene.one('conversations');
    await scene.owner.patch(`/v1/conversations/${id}`, { tags: ['marked'] });
    return { path: '/v1/tags', reveals: ({ items }) => items.some(({ count }: Json) => count > 0) };
  },
  'GET /v1/search': async scene => {
    await scene.one('conversations');
    await consumed(scene.world, SearchConsumer);
    return { path: '/v1/search?query=marked', reveals: ({ items }) => items.length > 0 };
  },
  'POST /v1/tags/rename': async scene => {
    await scene.owner.patch(`/v1/conversations/${await scene.another('conversations')}`, { tags: [unique('tag')] });
    const { items } = (await scene.owner.get('/v1/tags')).data;
    return { path: '/v1/tags/rename', body: { from: items[0].name, to: items[0].name } };
  },
  'DELETE /v1/tags/{name}': async scene => {
    const name = unique('tag');
    await scene.owner.patch(`/v1/conversations/${await scene.another('conversations')}`, { tags: [name] });
    return { path: `/v1/tags/${name}` };
  },
  'GET /v1/views/counts': async scene => {
    await scene.one('conversations');
    await scene.one('views');
    return { path: '/v1/views/counts', reveals: ({ items }) => items.some(({ count }: Json) => count > 0) };
  },
  'POST /v1/views': () => ({ path: '/v1/views', body: { name: unique('view'), filters: {} } }),
  'GET /v1/mail/failures': plain('/v1/mail/failures'),
  'GET /v1/notifications': plain('/v1/notifications'),
  'POST /v1/notifications/read': plain('/v1/notifications/read', { all: true }),
  'GET /v1/channels/{id}': scene => ({ path: `/v1/channels/${scene.channel.id}` }),
  'PATCH /v1/channels/{id}': scene => ({ path: `/v1/channels/${scene.channel.id}`, body: { csat_enabled: true } }),
  'POST /v1/channels/{id}/rotate-identity-secret': row('channels', '', '/rotate-identity-secret'),
  'POST /v1/channels/{id}/rotate-token': row('channels', '', '/rotate-token'),
  'GET /v1/contacts/{id}': contact(''),
  'PATCH /v1/contacts/{id}': contact('', { locale: 'de' }),
  'GET /v1/contacts/{id}/conversations': contact('/conversations'),
  'POST /v1/contacts/{id}/block': row('contacts', '', '/block', { ends: true }),
  'POST /v1/contacts/{id}/unblock': contact('/unblock'),
  'POST /v1/contacts/{id}/merge': async scene => ({
    path: `/v1/contacts/${await scene.one('contacts')}/merge`,
    body: { from_id: await scene.another('contacts') },
  }),
  'POST /v1/contacts/{id}/export': contact('/export'),
  'GET /v1/conversations': async scene => {
    await scene.one('conversations');
    return { path: '/v1/conversations' };
  },
  'POST /v1/conversations': scene => ({
    path: '/v1/conversations',
    body: { contact_id: scene.visitor.contactId, channel_id: scene.channel.id, subject: 'Another' },
  }),
  'GET /v1/conversations/counts': async scene => {
    await scene.one('conversations');
    return { path: '/v1/conversations/counts', reveals: ({ open }) => open > 0 };
  },
  'POST /v1/conversations/bulk': async scene => ({
    path: '/v1/conversations/bulk',
    body: { ids: [await scene.one('conversations')], action: 'priority', priority: 'low' },
    reveals: ({ results }) => results[0].ok === true,
  }),
  'GET /v1/conversations/{id}': conversation(''),
  'PATCH /v1/conversations/{id}': conversation('', { body: { priority: 'high' } }),
  'POST /v1/conversations/{id}/assign': conversation('/assign', { body: { member_id: null } }),
  'POST /v1/conversations/{id}/read': conversation('/read', { body: { seq: 1 } }),
  'POST /v1/conversations/{id}/reopen': async scene => {
    const id = await scene.another('conversations');
    await scene.made(`/v1/conversations/${id}/resolve`, {});
    return { path: `/v1/conversations/${id}/reopen` };
  },
  'POST /v1/conversations/{id}/resolve': conversation('/resolve', { ends: true }),
  'POST /v1/conversations/{id}/leave': conversation('/leave'),
  'POST /v1/conversations/{id}/snooze': conversation('/snooze', { ends: true }),
  'POST /v1/conversations/{id}/wake': async scene => {
    const id = await scene.another('conversations');
    await scene.made(`/v1/conversations/${id}/snooze`, {});
    return { path: `/v1/conversations/${id}/wake` };
  },
  'POST /v1/conversations/{id}/handoff': conversation('/handoff', { ends: true }),
  'GET /v1/conversations/{id}/transcript': conversation('/transcript'),
  'POST /v1/conversations/{id}/transcript': async scene => ({
    path: `/v1/conversations/${await scene.one('conversations')}/transcript`,
    body: { email: email() },
  }),
  'POST /v1/conversations/{id}/take': conversation('/take'),
  'POST /v1/conversations/{id}/typing': async scene => {
    const [conversationId, botId] = [await scene.another('conversations'), await scene.one('bots')];
    await setControl(scene.world, conversationId, botId);
    return { path: `/v1/conversations/${conversationId}/typing`, body: { bot_id: botId } };
  },
  'GET /v1/conversations/{conversation_id}/messages': conversation('/messages'),
  'POST /v1/conversations/{conversation_id}/messages': async (scene, caller) => ({
    path: `/v1/conversations/${await scene.one('conversations')}/messages`,
    body: { content: 'Hello!', ...(caller.includes('key') && { member_id: scene.desk.owner.memberId }) },
  }),
  'PATCH /v1/conversations/{conversation_id}/messages/{id}': message({ content: 'Hello again!' }),
  'DELETE /v1/conversations/{conversation_id}/messages/{id}': message(),
  'POST /v1/attachments': () => ({ path: '/v1/attachments', uploads: true }),
  'GET /v1/attachments/{id}': async scene => ({ path: `/v1/attachments/${await attachmentOf(scene)}` }),
  'POST /v1/widget/attachments': () => ({ path: '/v1/widget/attachments', uploads: true }),
  'GET /v1/widget/attachments/{id}': async scene => ({ path: `/v1/widget/attachments/${await attachmentOf(scene)}` }),
  'GET /v1/audit-log': plain('/v1/audit-log'),
  'GET /v1/events': async scene => {
    await scene.one('conversations');
    return { path: '/v1/events?limit=200' };
  },
  'GET /v1/widget/config': scene => ({ path: `/v1/widget/config?widget_token=${scene.channel.widget_token}` }),
  'GET /v1/widget/contact': plain('/v1/widget/contact'),
  'PATCH /v1/widget/contact': plain('/v1/widget/contact', { locale: 'de' }),
  'GET /v1/widget/conversations': plain('/v1/widget/conversations'),
  'POST /v1/widget/conversations': plain('/v1/widget/conversations', { message: { content: 'Hello?' } }),
  'GET /v1/widget/conversations/{id}': widget(''),
  'POST /v1/widget/conversations/{id}/resolve': widget('/resolve', { ends: true }),
  'POST /v1/widget/conversations/{id}/rating': async scene => {
    const id = await scene.another('conversations');
    await scene.made(`/v1/conversations/${id}/messages`, { content: 'Hello!' });
    await scene.made(`/v1/conversations/${id}/resolve`, {});
    return { path: `/v1/widget/conversations/${id}/rating`, body: { score: 5 } };
  },
  'GET /v1/widget/conversations/{id}/transcript': widget('/transcript'),
  'POST /v1/widget/conversations/{id}/transcript': async scene => {
    const id = await scene.one('conversations');
    await scene.made(`/v1/conversations/${id}/messages`, { content: 'Hello!' });
    return { path: `/v1/widget/conversations/${id}/transcript` };
  },
  'POST /v1/widget/conversations/{id}/read': widget('/read', { body: { seq: 1 } }),
  'GET /v1/widget/conversations/{conversation_id}/messages': widget('/messages'),
  'POST /v1/widget/conversations/{conversation_id}/messages': widget('/messages', { body: { content: 'Hello?' } }),
  'POST /v1/widget/session': scene => ({
    path: '/v1/widget/session',
    body: { widget_token: scene.channel.widget_token },
  }),
  'GET /v1/workspace': plain('/v1/workspace'),
  'PATCH /v1/workspace': plain('/v1/workspace', { locale: 'de' }),
  'GET /v1/workspace/invites': plain('/v1/workspace/invites'),
  'POST /v1/workspace/invites': () => ({ path: '/v1/workspace/invites', body: { email: email() } }),
  'POST /v1/workspace/invites/{id}/resend': row('invites', '/workspace', '/resend'),
  'DELETE /v1/workspace/invites/{id}': row('invites', '/workspace', '', { ends: true }),
  'GET /v1/workspace/members': plain('/v1/workspace/members'),
  'POST /v1/workspace/members': () => ({ path: '/v1/workspace/members', body: { email: email(), name: 'New' } }),
  'GET /v1/workspace/members/me': plain('/v1/workspace/members/me'),
  'PATCH /v1/workspace/members/me': plain('/v1/workspace/members/me', { availability: 'away' }),
  'GET /v1/workspace/members/{id}': row('members', '/workspace', ''),
  'PATCH /v1/workspace/members/{id}': row('members', '/workspace', '', { body: { capacity: 3 } }),
  'POST /v1/workspace/members/{id}/deactivate': row('members', '/workspace', '/deactivate', { ends: true }),
  'POST /v1/workspace/members/{id}/reactivate': row('members', '/workspace', '/reactivate'),
};

/** The calls of a collection's routes, with the bodies of the API reference. */
function collectionRecipes({ name, path, newRow, change }: Collection): Record<string, Recipe> {
  return {
    [`GET ${path}`]: plain(path),
    [`POST ${path}`]: () => ({ path, body: newRow() }),
    [`GET ${path}/{id}`]: row(name, '', ''),
    [`PATCH ${path}/{id}`]: async scene => ({ path: `${path}/${await scene.one(name)}`, body: change() }),
    [`DELETE ${path}/{id}`]: row(name, '', '', { ends: true }),
  };
}

function collectionsIn(app: App): Collection[] {
  return collectionsOf(Contract.of(app).document);
}

/** A call for each route that would succeed if permitted. A route that is missing here fails the matrix. */
export function recipesFor(app: App): Record<string, Recipe> {
  return { ...Object.assign({}, ...collectionsIn(app).map(collectionRecipes)), ...RECIPES };
}

function contact(action: string, body?: object): Recipe {
  return scene => ({ path: `/v1/contacts/${scene.visitor.contactId}${action}`, ...(body && { body }) });
}

function message(body?: object): Recipe {
  return async scene => {
    const path = `/v1/conversations/${await scene.one('conversations')}/messages`;
    const { id } = await scene.made(path, { content: 'Hello!' });
    return { path: `${path}/${id}`, ...(body && { body }) };
  };
}

/** A file of a message in the marked channel. */
async function attachmentOf(scene: Scene): Promise<string> {
  const { id } = (await scene.owner.upload('/v1/attachments', Buffer.from('Hello'), `${MARK}.txt`)).data;
  const path = `/v1/conversations/${await scene.one('conversations')}/messages`;
  await scene.made(path, { attachment_ids: [id] });
  return id as string;
}

/** A delivery of the webhook. */
async function deliveryOf({ owner, world, visitor }: Scene, webhook: string): Promise<string> {
  await world.conversation(visitor, MARK);
  return eventually(async () => {
    const { items } = (await owner.get(`/v1/webhooks/${webhook}/deliveries?limit=1`)).data;
    return items[0]?.id as string | undefined;
  });
}

async function emailOf(scene: Scene): Promise<string> {
  return (await scene.owner.get(`/v1/workspace/members/${await scene.one('members')}`)).data.email as string;
}

/** Codes that add nothing to the status. Other specs test which kind of credential a route requires. */
const CODES_IMPLIED_BY_STATUS = new Set([
  'unauthenticated',
  'agent_token_required',
  'api_key_required',
  'visitor_token_required',
  'forbidden',
  'not_found',
]);

/**
 * Calls the route as the caller. @returns the status, the code if it adds something, and `+` if the mark was visible
 */
async function cell(scene: Scene, route: Route, recipe: Recipe | undefined, caller: CallerName): Promise<string> {
  if (!recipe) throw new Error(`${route.name}: add a recipe to the permission matrix`);
  const { path, body, uploads, reveals } = await recipe(scene, caller);
  const api = scene.world.as(scene.tokens[caller]);
  const answer = await (uploads ? api.upload(path, Buffer.from(MARK)) : api.call(route.method, path, body));
  if (answer.status < 400) {
    const isVisible = reveals?.(answer.data) ?? JSON.stringify(answer.body).includes(MARK);
    return `${answer.status}${isVisible ? '+' : ''}`;
  }
  const { code } = answer.error;
  return CODES_IMPLIED_BY_STATUS.has(code) ? String(answer.status) : `${answer.status} ${code}`;
}

/** Topics each caller can open a socket for; the same rules apply as to routes. */
const ROOMS: Record<string, (scene: Scene) => Promise<[route: 'agent' | 'visitor', query: Record<string, string>]>> = {
  'WS /ws/agent': async () => ['agent', {}],
  'WS /ws/agent?room=': async scene => ['agent', { room: await scene.one('conversations') }],
  'WS /ws/visitor': async () => ['visitor', {}],
  'WS /ws/visitor?conv=': async scene => ['visitor', { conv: await scene.one('conversations') }],
};

async function room(scene: Scene, name: string, caller: CallerName): Promise<string> {
  const [route, query] = (await ROOMS[name]?.(scene)) ?? ['agent', {}];
  const token = scene.tokens[caller];
  const parameters = { ...(token === null ? {} : { token }), ...query };
  try {
    await (await scene.world.socket(route, parameters)).close();
    return '101';
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    const { code } = (refused.body as { error: { code: string } }).error;
    return CODES_IMPLIED_BY_STATUS.has(code) ? String(refused.status) : `${refused.status} ${code}`;
  }
}

/** Calls every route and room as every caller. Returns the cells of each, in the order of `CALLERS`; sorted by path. */
export async function permissionMatrix(world: World, filter: RegExp = /./): Promise<Map<string, string[]>> {
  const scene = await Scene.set(world);
  const recipes = recipesFor(world.app.app);
  const table = new Map<string, string[]>();
  for (const route of routesOf(world.app.app).filter(({ name }) => filter.test(name))) {
    const cells: string[] = [];
    for (const caller of CALLERS) cells.push(await cell(scene, route, recipes[route.name], caller));
    table.set(route.name, cells);
  }
  for (const name of Object.keys(ROOMS).filter(name => filter.test(name))) {
    const cells: string[] = [];
    for (const caller of CALLERS) cells.push(await room(scene, name, caller));
    table.set(name, cells);
  }
  return new Map([...table].sort(([a], [b]) => (pathFirst(a) < pathFirst(b) ? -1 : 1)));
}

function pathFirst(route: string): string {
  const [method = '', path = ''] = route.split(' ');
  return `${path} ${method}`;
}

export const GOLDEN = resolve(import.meta.dirname, '../contract/golden/permissions.txt');

/** Rows of the committed table, in order. */
export function declaredRows(): [route: string, cells: string[]][] {
  const lines = readFileSync(GOLDEN, 'utf8').split('\n').slice(1);
  return lines
    .filter(line => line !== '')
    .map(line => {
      const [name = '', ...cells] = line.split('|').map(cell => cell.trim());
      return [name, cells];
    });
}

/** Formats the table: one line per route, columns aligned. */
export function written(table: Map<string, string[]>): string {
  const rows = [['route', ...CALLERS], ...[...table].map(([name, cells]) => [name, ...cells])];
  const widths = rows[0]?.map((_title, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  return rows
    .map(row =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join(' | ')
        .trimEnd(),
    )
    .join('\n')
    .concat('\n');
}
