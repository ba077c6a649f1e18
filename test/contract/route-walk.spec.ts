import { readFileSync } from 'node:fs';
import type { ExecutionContext, Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModulesContainer, Reflector } from '@nestjs/core';
import { FREQUENT_PATHS } from '../../src/app.js';
import { newId } from '../../src/kernel/ids.js';
import { isVisitorPermission, roleFor } from '../../src/kernel/permission.js';
import type { CredentialKind } from '../../src/kernel/principal.js';
import type { Access } from '../../src/platform/access/access.decorator.js';
import { ACCESS } from '../../src/platform/access/access.decorator.js';
import { AccessGuard } from '../../src/platform/access/access.guard.js';
import type { Authenticator } from '../../src/platform/access/authenticator.js';
import type { RateLimitService } from '../../src/platform/limits/rate-limit.service.js';
import { SearchConsumer } from '../../src/modules/search/search.consumer.js';
import { consumed } from '../support/consumed.js';
import type { Collection } from '../support/collections.js';
import { collectionsOf } from '../support/collections.js';
import { Contract } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import type { Answer } from '../support/http.js';
import type { Route } from '../support/routes.js';
import { fill, routesOf } from '../support/routes.js';
import { jwt, readJwt } from '../support/tokens.js';
import { LOCAL_WEBHOOKS } from '../support/webhook-receiver.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

type Closed = Extract<Access, { public: false }>;

const REQUIRED: Record<CredentialKind, string> = {
  agent: 'agent_token_required',
  api_key: 'api_key_required',
  visitor: 'visitor_token_required',
};

/** Queries of lists that require one. Both workspaces have a message with this word. */
const QUERIES: Record<string, string> = { 'GET /v1/search': '?query=hello' };

let world: World;
let routes: Route[];
beforeAll(async () => {
  world = await World.start(LOCAL_WEBHOOKS);
  routes = routesOf(world.app.app);
});
afterAll(() => world.stop());

function closedRoutes(): (Route & { access: Closed })[] {
  return routes.filter((route): route is Route & { access: Closed } => route.access?.public === false);
}

/** @returns the path with unknown ids */
function pathWithUnknownIds(route: Route): string {
  return fill(route.path, Object.fromEntries(route.parameters.map(name => [name, newId()])));
}

function refusalOf(answer: Answer<unknown>): [number, string, string | undefined] {
  return [answer.status, answer.error.code, answer.headers['www-authenticate']];
}

describe('Every route', () => {
  it('The API reference has exactly the routes of the router', () => {
    const documented = routes.map(route => route.name.replace(/\{(\w+)\}/g, ':$1'));
    const undocumented = [
      '/',
      '/healthz',
      '/readyz',
      '/metrics',
      '/docs',
      '/docs/',
      '/docs-yaml',
      '/openapi.json',
      '/asyncapi.json',
      '/unsubscribe',
      '/chat',
      '/widget.js,/widget/*path',
      '/widget.js,/widget/*path,/chat',
      '/dashboard,/dashboard/*path',
      '/dashboard/assets/*path',
      '/dashboard/preview.html',
      '/files/:id/:name',
    ];
    const served = routerRoutes().filter(
      name => !undocumented.includes(name.split(' ')[1] ?? '') && !name.startsWith('GET /docs/'),
    );
    expect(served.sort()).toEqual(documented.sort());
  });

  it('Every route declares its access', () => {
    const reflector = new Reflector();
    const undeclared = handlers().filter(
      ({ controller, handler }) => !reflector.getAllAndOverride<Access | undefined>(ACCESS, [handler, controller]),
    );
    expect(undeclared.map(({ controller, handler }) => `${controller.name}.${handler.name}`)).toEqual([]);
    expect(routes.filter(route => !route.access).map(route => route.name)).toEqual([]);
  });

  it('A route without declared access answers 401', async () => {
    const guard = new AccessGuard(new Reflector(), {} as Authenticator, {} as RateLimitService);
    const context = {
      getType: () => 'http',
      getHandler: () => () => undefined,
      getClass: () => class Undeclared {},
    } as unknown as ExecutionContext;
    await expect(guard.canActivate(context)).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'unauthenticated',
    });
  });

  it('Every route is in docs/generated/routes.md with its callers and rate limit', () => {
    const rows = readFileSync('docs/generated/routes.md', 'utf8').split('## Rates')[0] ?? '';
    const written = [...rows.matchAll(/^\| (GET|POST|PATCH|DELETE) \| (\S+) \| (.*?) \| (.*?) ?\|$/gm)].map(
      ([, method, path, callers, rate]) => `${method} ${path}: ${callers}; ${rate?.trim()}`,
    );
    const real = routes.map(route => `${route.name}: ${describeAccess(route.access)}; ${route.rate ?? ''}`);
    expect(written.sort()).toEqual(real.sort());
  });

  it('The public routes are exactly those of the API contract', () => {
    const open = routes.filter(route => route.access?.public === true).map(route => route.name);
    expect(open.sort()).toEqual(
      [
        'POST /v1/auth/invite-preview',
        'POST /v1/auth/login',
        'POST /v1/auth/logout',
        'POST /v1/auth/password/forgot',
        'POST /v1/auth/password/reset',
        'POST /v1/auth/refresh',
        'POST /v1/auth/register',
        'POST /v1/auth/register-user',
        'POST /v1/auth/sso/exchange',
        'GET /v1/widget/config',
        'POST /v1/widget/session',
      ].sort(),
    );
  });

  it('Exactly the routes under /v1/widget accept visitors, and they accept nobody else', () => {
    for (const { name, path, access } of closedRoutes()) {
      const visitors = path.startsWith('/v1/widget/');
      expect([name, isVisitorPermission(access.permission)]).toEqual([name, visitors]);
      expect([name, access.kinds.includes('visitor')]).toEqual([name, visitors]);
      if (visitors) expect([name, access.kinds]).toEqual([name, ['visitor']]);
    }
  });
});

describe('Routes that are not public', () => {
  let desk: Desk;
  let visitor: Visitor;
  let key: string;

  beforeAll(async () => {
    desk = await world.desk();
    visitor = await world.visitor(desk);
    key = (await world.apiKey(desk)).token ?? '';
  });

  /** Calls every route that is not public with the credentials and expects the given 401 of all. */
  async function expectRefusals(
    credential: (access: Closed) => (string | null)[],
    expected: (access: Closed) => [code: string, challenge: string],
  ): Promise<void> {
    const different: unknown[] = [];
    for (const route of closedRoutes()) {
      const [code, challenge] = expected(route.access);
      for (const authorization of credential(route.access)) {
        const headers: Record<string, string> = authorization === null ? {} : { Authorization: authorization };
        const answer = await world.as(null).call(route.method, pathWithUnknownIds(route), undefined, headers);
        const actual = refusalOf(answer);
        if (actual.join() !== [401, code, challenge].join()) different.push([route.name, authorization, actual]);
      }
    }
    expect(different).toEqual([]);
  }

  const INVALID: [string, string] = ['invalid_token', 'Bearer error="invalid_token"'];
  const bearer = (token: string) => `Bearer ${token}`;
  const secret = () => world.app.config.jwtSecrets[0]?.secret ?? '';
  /** @returns valid tokens of the kinds that the route accepts */
  const validJwts = (access: Closed) => [
    ...(access.kinds.includes('agent') ? [desk.owner.token] : []),
    ...(access.kinds.includes('visitor') ? [visitor.token] : []),
  ];
  /** @returns the token with changed claims or header, signed again */
  function forgeToken(token: string, claims: object, header: object = {}, key = secret()): string {
    const real = readJwt(token);
    return bearer(jwt({ ...real.claims, ...claims }, key, { ...real.header, ...header }));
  }

  it('Every closed route refuses a missing token (401 unauthenticated)', () =>
    expectRefusals(
      () => [null],
      () => ['unauthenticated', 'Bearer'],
    ));

  it('Every closed route refuses a token of the wrong kind with a code that names the right one (401)', () =>
    expectRefusals(
      access => [
        ...(access.kinds.includes('visitor') ? [] : [bearer(visitor.token)]),
        ...(access.kinds.includes('agent') ? [] : [bearer(desk.owner.token)]),
        ...(access.kinds.includes('api_key') ? [] : [bearer(key)]),
        bearer(desk.owner.refreshToken),
      ],
      access => [REQUIRED[access.kinds[0] ?? 'agent'], 'Bearer error="invalid_token"'],
    ));

  it('Every closed route refuses an expired token (401 token_expired)', async () => {
    const expiring = await world.apiKey(desk, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    await world.app.database.query(`UPDATE api_key SET expires_at = clock_timestamp() WHERE expires_at IS NOT NULL`);
    const past = { exp: Math.floor(Date.now() / 1000) - 1 };
    await expectRefusals(
      access => [
        ...validJwts(access).map(token => forgeToken(token, past)),
        ...(access.kinds.includes('api_key') ? [bearer(expiring.token ?? '')] : []),
      ],
      () => ['token_expired', 'Bearer error="invalid_token"'],
    );
  });

  it('Every closed route refuses a token that expires in the current second (401 token_expired)', () => {
    const now = { exp: Math.floor(Date.now() / 1000) };
    return expectRefusals(
      access => validJwts(access).map(token => forgeToken(token, now)),
      () => ['token_expired', 'Bearer error="invalid_token"'],
    );
  });

  it('Every closed route refuses a token with `alg: none`, with or without a signature (401)', () =>
    expectRefusals(
      access =>
        validJwts(access).flatMap(token => [
          forgeToken(token, {}, { alg: 'none' }),
          `${forgeToken(token, {}, { alg: 'none' })}${token.split('.')[2]}`,
          forgeToken(token, {}, { alg: 'NONE' }),
        ]),
      () => INVALID,
    ));

  it('Every closed route refuses a token for another audience, a list or none (401)', () =>
    expectRefusals(
      access =>
        validJwts(access).flatMap(token =>
          ['elsewhere', [access.kinds[0]], undefined].map(aud => forgeToken(token, { aud })),
        ),
      () => INVALID,
    ));

  it('Every closed route refuses a token of another issuer (401)', () =>
    expectRefusals(
      access => validJwts(access).map(token => forgeToken(token, { iss: 'somebody-else' })),
      () => INVALID,
    ));

  it('Every closed route refuses a token signed with another secret or naming an unknown key (401)', () =>
    expectRefusals(
      access =>
        validJwts(access).flatMap(token => [
          forgeToken(token, {}, {}, 'a secret that the service does not have'),
          forgeToken(token, {}, {}, ''),
          forgeToken(token, {}, { kid: 'unknown' }),
          forgeToken(token, {}, { kid: undefined }),
          forgeToken(token, {}, { kid: '__proto__' }),
          forgeToken(token, {}, { kid: ['../../dev/null'] }),
        ]),
      () => INVALID,
    ));

  it('Every closed route refuses a changed payload with the original signature (401)', async () => {
    const other = await world.desk();
    const changes = [{ ws: other.workspaceId }, { sub: other.owner.memberId }, { exp: 4_000_000_000 }];
    await expectRefusals(
      access =>
        validJwts(access).flatMap(token => {
          const [, , signature] = token.split('.');
          return changes.map(change => `${forgeToken(token, change).split('.').slice(0, 2).join('.')}.${signature}`);
        }),
      () => INVALID,
    );
  });

  it('Every closed route refuses malformed tokens and unknown API keys (401)', () =>
    expectRefusals(
      access => [
        'Bearer x',
        'Bearer a.b.c',
        'Bearer ...',
        bearer(`${'a'.repeat(5000)}.${'b'.repeat(5000)}.`),
        ...validJwts(access).map(token => bearer(token.slice(0, -1))),
        ...(access.kinds.includes('api_key')
          ? ['svc_sk_', `svc_sk_${'0'.repeat(32)}`, `${key}0`, key.slice(0, -1), key.toLowerCase()].map(bearer)
          : []),
      ],
      () => INVALID,
    ));

  it('Every closed route refuses Authorization schemes other than Bearer (401)', () =>
    expectRefusals(
      access => [
        'Bearer',
        'Basic dXNlcjpwYXNzd29yZA==',
        ...validJwts(access).flatMap(token => [token, `Token ${token}`, `Bearer ${token} ${token}`]),
      ],
      () => ['unauthenticated', 'Bearer'],
    ));

  it('Every closed route refuses revoked tokens (401 token_revoked) and deleted API keys (401 invalid_token)', async () => {
    const gone = await world.colleague(desk);
    await world.anyone.post('/v1/auth/logout', { refresh_token: gone.refreshToken });
    const deactivated = await world.colleague(desk);
    await world.app.database.query(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [deactivated.memberId]);
    const merged = await world.visitor(desk);
    await world.app.database.query('UPDATE contact SET token_generation = 2 WHERE id = $1', [merged.contactId]);
    const channel = await world.channel(desk);
    const closed = await world.visitor({ widgetToken: channel.widget_token });
    await desk.owner.api.delete(`/v1/channels/${channel.id}`);
    await expectRefusals(
      access => [
        ...(access.kinds.includes('agent') ? [bearer(gone.token), bearer(deactivated.token)] : []),
        ...(access.kinds.includes('visitor') ? [bearer(merged.token), bearer(closed.token)] : []),
      ],
      () => ['token_revoked', 'Bearer error="invalid_token"'],
    );
    const made = await desk.owner.api.post('/v1/api-keys', { name: 'short-lived' });
    await desk.owner.api.delete(`/v1/api-keys/${made.data.id}`);
    await expectRefusals(
      access => (access.kinds.includes('api_key') ? [bearer(made.data.key)] : []),
      () => INVALID,
    );
  });
});

describe('Credentials of the right kind without the permission', () => {
  const expectForbidden = async (caller: { token: string | null }, applies: (access: Closed) => string | null) => {
    const different: unknown[] = [];
    let calls = 0;
    for (const route of closedRoutes()) {
      const code = applies(route.access);
      if (code === null) continue;
      calls += 1;
      const answer = await world.as(caller.token).call(route.method, pathWithUnknownIds(route), undefined);
      if (answer.status !== 403 || answer.error.code !== code)
        different.push([route.name, answer.status, answer.error.code]);
    }
    expect(different).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  };
  const staffPermission = ({ permission }: Closed) => (isVisitorPermission(permission) ? null : permission);
  const forAdmins = (access: Closed) => {
    const permission = staffPermission(access);
    return permission !== null && access.kinds.includes('agent') && roleFor(permission, access.demands) !== 'agent';
  };

  it('An agent cannot call a route for admins (403 forbidden)', async () => {
    const agent = await world.colleague(await world.desk());
    await expectForbidden(agent, access => (forAdmins(access) ? 'forbidden' : null));
  });

  it('An admin limited to some channels cannot call a route for admins (403 scope_too_narrow)', async () => {
    const desk = await world.desk();
    const admin = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    await expectForbidden(admin, access => (forAdmins(access) ? 'scope_too_narrow' : null));
  });

  it('An agent limited to some channels cannot call a route that needs all channels (403 scope_too_narrow)', async () => {
    const desk = await world.desk();
    const agent = await world.colleague(desk, { channel_ids: [desk.channelId] });
    await expectForbidden(agent, access =>
      access.demands.allChannels && !forAdmins(access) ? 'scope_too_narrow' : null,
    );
  });

  it('An API key cannot call a route outside its scopes (403 forbidden)', async () => {
    const desk = await world.desk();
    for (const scope of ['workspace:read', 'canned-responses:write']) {
      const key = await world.apiKey(desk, { scopes: [scope] });
      const covered = [scope, scope.replace(':write', ':read')];
      await expectForbidden(key, access =>
        access.kinds.includes('api_key') && !covered.includes(access.permission) ? 'forbidden' : null,
      );
    }
  });
});

describe("Another workspace's rows", () => {
  /** A body that passes validation, for each route with an id in its path that takes one. Collections add theirs. */
  const BODIES: Record<string, object> = {
    'POST /v1/canned-responses/{id}/render': { conversation_id: newId() },
    'POST /v1/contacts/{id}/merge': { from_id: newId() },
    'PATCH /v1/conversations/{id}': { subject: 'Taken over' },
    'POST /v1/conversations/{id}/assign': { member_id: null },
    'POST /v1/conversations/{id}/transcript': { email: 'vera@example.com' },
    'POST /v1/widget/conversations/{id}/rating': { score: 5 },
    'POST /v1/conversations/{id}/read': { seq: 1 },
    'POST /v1/conversations/{id}/typing': { bot_id: newId() },
    'POST /v1/conversations/{conversation_id}/messages': { content: 'Taken over' },
    'PATCH /v1/conversations/{conversation_id}/messages/{id}': { content: 'Taken over' },
    'PATCH /v1/workspace/members/{id}': { name: 'Taken over' },
    'POST /v1/widget/conversations/{conversation_id}/messages': {
      message: { content: 'Taken over' },
      content: 'Taken over',
    },
    'POST /v1/widget/conversations/{id}/read': { seq: 1 },
    'POST /v1/webhooks/{webhook_id}/replay': { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  };

  interface Rows {
    desk: Desk;
    visitor: Visitor;
    key: string;
    ids: Record<string, string>;
  }
  let collections: Collection[];
  let theirs: Rows;
  let ours: Rows;

  /** Creates a workspace with one row of every kind that an id in a path can name. */
  async function createRows(): Promise<Rows> {
    const desk = await world.desk();
    const visitor = await world.visitor(desk, { name: 'Vera' });
    // nothing listens there, so its deliveries stay pending
    const endpoint = { url: 'http://127.0.0.1:9/', events: ['conversation.created'] };
    const webhook = (await desk.owner.api.post('/v1/webhooks', endpoint)).data.id as string;
    const conversation = await world.conversation(visitor);
    const deliveries = `/v1/webhooks/${webhook}/deliveries`;
    const delivery = await eventually(
      async () => (await desk.owner.api.get(deliveries)).data.items[0]?.id as string,
      30_000,
    );
    const messages = `/v1/conversations/${conversation.id}/messages`;
    const file = await desk.owner.api.upload('/v1/attachments', Buffer.from('Hello'));
    const message = await desk.owner.api.post(messages, { content: 'Hello!', attachment_ids: [file.data.id] });
    const made = await desk.owner.api.post('/v1/api-keys', { name: unique('key') });
    const rows: Record<string, string> = {};
    for (const { name, path, newRow } of collections) rows[name] = (await desk.owner.api.post(path, newRow())).data.id;
    const tag = unique('tag');
    await desk.owner.api.patch(`/v1/conversations/${conversation.id}`, { tags: [tag] });
    const invite = await desk.owner.api.post('/v1/workspace/invites', { email: `${unique('guest')}@example.com` });
    const ids = {
      ...rows,
      'api-keys': made.data.id,
      attachments: file.data.id,
      channels: desk.channelId,
      contacts: visitor.contactId,
      conversations: conversation.id,
      invites: invite.data.id,
      messages: message.data.id,
      members: desk.owner.memberId,
      tags: tag,
      webhooks: webhook,
      deliveries: delivery,
    };
    return { desk, visitor, key: made.data.key, ids };
  }

  beforeAll(async () => {
    collections = collectionsOf(Contract.of(world.app.app).document);
    for (const { path, change } of collections) BODIES[`PATCH ${path}/{id}`] = change();
    [theirs, ours] = [await createRows(), await createRows()];
  });

  /** @returns the path with each parameter replaced by the id of the collection named before it */
  function pathTo(path: string, ids: Record<string, string>): string {
    return path.replace(/([a-z-]+)\/\{\w+\}/g, (_whole, collection: string) => {
      const id = ids[collection];
      if (id === undefined) throw new Error(`${path}: no row for ${collection}`);
      return `${collection}/${id}`;
    });
  }

  const withIds = () => closedRoutes().filter(route => route.parameters.length > 0);
  const tokensOf = ({ desk, visitor, key }: Rows): Record<CredentialKind, string> => ({
    agent: desk.owner.token,
    visitor: visitor.token,
    api_key: key,
  });

  async function expectNotFound(
    tokens: Partial<Record<CredentialKind, string>>,
    ids: Record<string, string>,
  ): Promise<void> {
    const different: unknown[] = [];
    let calls = 0;
    for (const route of withIds()) {
      for (const kind of route.access.kinds) {
        const token = tokens[kind];
        if (token === undefined) continue;
        calls += 1;
        const answer = await world.as(token).call(route.method, pathTo(route.path, ids), BODIES[route.name]);
        if (answer.status !== 404 || answer.error.code !== 'not_found') {
          different.push([route.name, kind, answer.status, answer.body]);
        }
      }
    }
    expect(different).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  }

  /** @returns the rows as their owner reads them */
  async function readRows({ desk, ids }: Rows): Promise<unknown[]> {
    const paths = [
      '/v1/api-keys',
      ...collections.map(({ name, path }) => `${path}/${ids[name]}`),
      `/v1/conversations/${ids.conversations}`,
      `/v1/conversations/${ids.conversations}/messages`,
      '/v1/workspace/invites',
      `/v1/workspace/members/${ids.members}`,
    ];
    const rows = await Promise.all(paths.map(async path => (await desk.owner.api.get<unknown>(path)).data));
    // the URLs of files are made anew each time
    const isFixed = (name: string) => name !== 'url' && name !== 'expires_at';
    return JSON.parse(JSON.stringify(rows, (name, value: unknown) => (isFixed(name) ? value : undefined))) as unknown[];
  }

  it('Every route with an id answers 404 for another workspace’s rows, which stay unchanged', async () => {
    const before = await readRows(theirs);
    await expectNotFound(tokensOf(ours), theirs.ids);
    expect(await readRows(theirs)).toEqual(before);
  });

  it('Another workspace’s message is 404 even under a conversation of the caller’s workspace', async () => {
    await expectNotFound(tokensOf(ours), { ...theirs.ids, conversations: newId() });
    const mixed = await ours.desk.owner.api.patch(
      `/v1/conversations/${ours.ids.conversations}/messages/${theirs.ids.messages}`,
      { content: 'Taken over' },
    );
    expect(mixed.status).toBe(404);
  });

  it('A malformed id gets the same 404 as another workspace’s', async () => {
    for (const malformed of ['x', '0', 'null', '%00', '..%2f..', '%F0%9F%92%A9', 'a'.repeat(2000)]) {
      await expectNotFound(tokensOf(ours), Object.fromEntries(Object.keys(theirs.ids).map(kind => [kind, malformed])));
    }
  });

  it('An id in capitals gets the same 404 as another workspace’s', async () => {
    const ids = Object.fromEntries(Object.entries(ours.ids).map(([kind, id]) => [kind, id.toUpperCase()]));
    // a tag is the same in capitals
    await expectNotFound(tokensOf(ours), { ...ids, tags: unique('tag') });
  });

  it('A visitor gets 404 for another visitor’s rows of the same channel', async () => {
    const stranger = await world.visitor(ours.desk);
    await expectNotFound({ visitor: stranger.token }, ours.ids);
  });

  it('An agent gets 404 for rows of a channel outside its scope', async () => {
    const channel = await world.channel(ours.desk);
    const scoped: Agent = await world.colleague(ours.desk, { channel_ids: [channel.id] });
    const different: unknown[] = [];
    for (const route of withIds()) {
      const isScoped = /\/(conversations|channels|contacts)\//.test(route.path) && route.access.kinds.includes('agent');
      const { permission, demands } = route.access;
      if (!isScoped || isVisitorPermission(permission) || demands.allChannels) continue;
      if (roleFor(permission, demands) !== 'agent') continue;
      const answer = await scoped.api.call(route.method, pathTo(route.path, ours.ids), BODIES[route.name]);
      if (answer.status !== 404) different.push([route.name, answer.status]);
    }
    expect(different).toEqual([]);
  });

  it('No list has rows of another workspace', async () => {
    const lists = closedRoutes().filter(route => route.method === 'get' && route.parameters.length === 0);
    const secrets = [
      ...Object.values(theirs.ids),
      theirs.desk.workspaceId,
      theirs.desk.widgetToken,
      theirs.desk.owner.email,
    ];
    await consumed(world, SearchConsumer);
    for (const route of lists) {
      for (const kind of route.access.kinds) {
        const answer = await world.as(tokensOf(ours)[kind]).get(`${route.path}${QUERIES[route.name] ?? ''}`);
        expect([route.name, answer.status]).toEqual([route.name, 200]);
        const text = JSON.stringify(answer.body);
        expect([route.name, secrets.filter(secret => text.includes(secret))]).toEqual([route.name, []]);
      }
    }
  });

  it('A body that names another workspace’s rows is refused (400)', async () => {
    const { api } = ours.desk.owner;
    const key = world.as(ours.key);
    const conversationPath = `/v1/conversations/${ours.ids.conversations}`;
    const contact = (await api.post('/v1/contacts', { name: 'Nora' })).data;
    const named: [string, Answer<unknown>, number][] = [
      [
        'contact_id',
        await api.post('/v1/conversations', { contact_id: theirs.ids.contacts, channel_id: ours.ids.channels }),
        400,
      ],
      [
        'channel_id',
        await api.post('/v1/conversations', { contact_id: contact.id, channel_id: theirs.ids.channels }),
        400,
      ],
      ['assignee', await api.post(`${conversationPath}/assign`, { member_id: theirs.ids.members }), 400],
      [
        'reply_to_id',
        await api.post(`${conversationPath}/messages`, { content: 'x', reply_to_id: theirs.ids.messages }),
        400,
      ],
      [
        'member_id',
        await key.post(`${conversationPath}/messages`, { content: 'x', member_id: theirs.ids.members }),
        400,
      ],
      ['bot_id', await key.post(`${conversationPath}/messages`, { content: 'x', bot_id: theirs.ids.bots }), 400],
      [
        'conversation_id',
        await api.post(`/v1/canned-responses/${ours.ids['canned-responses']}/render`, {
          conversation_id: theirs.ids.conversations,
        }),
        400,
      ],
      [
        'channel_ids',
        await key.post('/v1/workspace/members', {
          email: `${unique('m')}@example.com`,
          name: 'M',
          channel_ids: [theirs.ids.channels],
        }),
        400,
      ],
      [
        'channel_ids of an invite',
        await api.post('/v1/workspace/invites', {
          email: `${unique('m')}@example.com`,
          channel_ids: [theirs.ids.channels],
        }),
        400,
      ],
    ];
    expect(named.map(([name, answer]) => [name, answer.status])).toEqual(
      named.map(([name, , status]) => [name, status]),
    );
  });
});

describe('Public routes', () => {
  it('A public route ignores the Authorization header, even an invalid one', async () => {
    const desk = await world.desk();
    const bad = [
      'Bearer nonsense',
      `Bearer ${jwt({ aud: 'visitor', exp: 1 }, 'x')}`,
      'Basic eDp5',
      `Bearer ${desk.owner.token}`,
      `Bearer svc_sk_${'0'.repeat(32)}`,
      '\u00ff'.repeat(100),
    ];
    for (const Authorization of bad) {
      const answers = [
        await world.anyone.post('/v1/auth/login', { email: desk.owner.email, password: PASSWORD }, { Authorization }),
        await world.anyone.post('/v1/auth/refresh', { refresh_token: desk.owner.refreshToken }, { Authorization }),
        await world.anyone.post('/v1/auth/password/forgot', { email: desk.owner.email }, { Authorization }),
        await world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken }, { Authorization }),
        await world.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`, { Authorization }),
      ];
      expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200, 200]);
    }
  });
});

describe('Browser pages of a foreign origin', () => {
  const preflight = (path: string, method: string) =>
    world.anyone.call('options' as never, path, undefined, {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': method,
    });

  it('A browser page cannot call routes for servers only, however the path is spelled', async () => {
    const key = await world.apiKey(await world.desk());
    for (const path of [
      '/v1/workspace/members',
      '/v1/workspace/members/',
      '/v1/Workspace/Members',
      '/V1/workspace/members',
    ]) {
      const answer = await key.post(path, {}, { Origin: 'https://evil.example' });
      expect([path, answer.headers['access-control-allow-origin']]).toEqual([path, undefined]);
      const preflighted = await preflight(path, 'POST');
      expect([path, preflighted.headers['access-control-allow-origin']]).toEqual([path, undefined]);
    }
  });

  it('A browser page can call other routes, without cookies', async () => {
    const answer = await world.anyone.get('/v1/channels', { Origin: 'https://shop.example' });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    const exposed = answer.headers['access-control-expose-headers'];
    for (const name of ['RateLimit-Limit', 'Retry-After', 'Idempotency-Replayed', 'X-Request-Id', 'WWW-Authenticate']) {
      expect(exposed).toContain(name);
    }
  });
});

describe('Routes that are matched before all others', () => {
  it('No other route matches their paths, so none of them answers in the place of another.', () => {
    const layers = routerLayers();
    for (const frequent of FREQUENT_PATHS) {
      const path = frequent.replaceAll(/:\w+/g, '01900000-0000-7000-8000-000000000000');
      const matching = layers.filter(layer => layer.route && layer.match?.(path));
      expect(new Set(matching.map(({ route }) => route?.path))).toEqual(new Set([frequent]));
    }
    const first = layers.flatMap(({ route }) => (route ? [route.path] : [])).slice(0, FREQUENT_PATHS.length);
    expect(FREQUENT_PATHS).toEqual(expect.arrayContaining(first));
  });
});

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  match?(path: string): unknown;
}

function routerLayers(): Layer[] {
  const express = world.app.app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } };
  return express.router.stack;
}

/** @returns the routes of the Express router, such as `GET /v1/bots/:id` */
function routerRoutes(): string[] {
  return routerLayers().flatMap(({ route }) =>
    route ? Object.keys(route.methods).map(method => `${method.toUpperCase()} ${String(route.path)}`) : [],
  );
}

/** @returns every route handler of every controller */
function handlers(): { controller: Type; handler: () => unknown }[] {
  const modules = [...world.app.app.get(ModulesContainer).values()];
  return modules
    .flatMap(module => [...module.controllers.values()])
    .flatMap(({ metatype }) => {
      const controller = metatype as Type;
      const prototype = controller.prototype as Record<string, () => unknown>;
      return Object.getOwnPropertyNames(prototype)
        .map(name => ({ controller, handler: prototype[name] as () => unknown }))
        .filter(({ handler }) => typeof handler === 'function' && Reflect.hasMetadata('method', handler));
    });
}

function describeAccess(access: Access | undefined): string {
  if (!access) return 'undeclared';
  if (access.public) return 'anyone';
  if (isVisitorPermission(access.permission)) return 'visitor';
  const agent = access.kinds.includes('agent')
    ? `${roleFor(access.permission, access.demands)} or above${access.demands.allChannels ? ' with scope `all`' : ''}`
    : '';
  const { ofKey } = access.demands;
  const also = ofKey ? ` and \`${ofKey}\`` : '';
  const scopes = ofKey === '*' ? 'the whole key, `*`' : `\`${access.permission}\`${also}`;
  const scope = `${scopes}${access.keyOutsideBrowsers ? ', not from a browser' : ''}`;
  const key = access.kinds.includes('api_key') ? `API key (${scope})` : '';
  return [agent, key].filter(text => text !== '').join(', ');
}
