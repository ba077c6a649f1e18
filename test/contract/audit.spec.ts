import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_REGISTRY } from '../../src/events.js';
import type { EventType } from '../../src/kernel/domain-event.js';
import { collectionsOf } from '../support/collections.js';
import { Contract } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { LOCAL_WEBHOOKS } from '../support/webhook-receiver.js';
import type { Answer, Caller, Method } from '../support/http.js';
import { invited, someEmail } from '../support/invites.js';
import type { Json } from '../support/json.js';
import { ticketFor } from '../support/sso.js';
import type { Agent, Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const ADDRESS = '203.0.113.7';
const USER_AGENT = 'Backend/1.0 (audited client)';
const OTHER_PASSWORD = 'a password that is not the right one';
const SYSTEM = { type: 'system', id: null };

interface Row {
  type: string;
  actor: Json;
  payload: Json;
  address: string | null;
  user_agent: string | null;
}

/** An expected event: its type, its actor, and the relevant part of its payload. */
type Expected = [type: string, actor: Json, payload: Json];

const member = (id: string) => ({ type: 'member', id });
const apiKey = (id: string) => ({ type: 'api_key', id });

let world: World;
beforeAll(async () => {
  world = await World.start({ TRUST_PROXY: '1', SMTP_URL: 'smtp://127.0.0.1:9', ...LOCAL_WEBHOOKS });
});
afterEach(() => world.app.clock.reset());
afterAll(() => world.stop());

/** A workspace and the one request under test, found in the log by its request id. */
class Scene {
  readonly requestId = unique('request');
  /** The secrets in the request and its response. */
  readonly secrets: string[] = [];

  private constructor(
    readonly desk: Desk,
    readonly keyId: string,
    readonly key: Caller,
  ) {}

  static async create(): Promise<Scene> {
    const desk = await world.register();
    const { id, key } = (await desk.owner.api.post('/v1/api-keys', { name: 'backend' })).data;
    return new Scene(desk, id as string, world.as(key as string));
  }

  get owner(): Agent {
    return this.desk.owner;
  }

  /** Sends the request under test and collects its secrets. */
  async send(caller: Caller, method: Method, path: string, body?: object): Promise<Answer<Json>> {
    const headers = { 'X-Request-Id': this.requestId, 'X-Forwarded-For': ADDRESS, 'User-Agent': USER_AGENT };
    const answer = await caller.call<Json>(method, path, body, headers);
    this.secrets.push(...secretsIn(body), ...secretsIn(answer.data), ...(caller.token === null ? [] : [caller.token]));
    return answer;
  }

  /** @returns the events of the request, without `contact.updated`, which has no address */
  async events(): Promise<Row[]> {
    const sql = `SELECT type, actor, payload, address, user_agent FROM event
      WHERE request_id = $1 AND type <> 'contact.updated' ORDER BY position`;
    return world.app.database.query<Row>(sql, [this.requestId]);
  }
}

const SECRET_FIELDS =
  /^(token|refresh_token|key|secret|identity_secret|password|old_password|invite_token|ticket|reset_token)$/;

/** @returns the secrets in a request or response body, found by field name, and those in links */
function secretsIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Record<string, Json>).flatMap(([name, field]) => {
    if (typeof field !== 'string') return secretsIn(field);
    if (SECRET_FIELDS.test(name)) return [field];
    return /_url$/.test(name) && field.includes('#') ? [field.split('=').at(-1) ?? ''] : [];
  });
}

function login(email: string, password = PASSWORD): Promise<Answer<Json>> {
  return world.anyone.post('/v1/auth/login', { email, password });
}

async function resetToken(email: string): Promise<string> {
  const before = world.app.mails.length;
  await world.anyone.post('/v1/auth/password/forgot', { email });
  const mail = await eventually(() => world.app.mails.slice(before).find(({ to }) => to === email));
  return /reset=(\S+)/.exec(mail.text)?.[1] ?? '';
}

/** Performs one action with `scene.send`. @returns the events expected in the log */
type Action = (scene: Scene) => Promise<Expected[]>;

const MEMBERS = '/v1/workspace/members';
const INVITES = '/v1/workspace/invites';
/** Nothing listens there. The query of its URL is in no event. */
const WEBHOOK = { url: 'http://127.0.0.1:9/?key=hidden', events: ['tag.updated'] };
const PAST = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };

const SIGN_INS: [string, Action][] = [
  [
    'a workspace is registered',
    async scene => {
      const body = { workspace_name: 'W', name: 'N', email: someEmail(), password: PASSWORD };
      const { data } = await scene.send(world.anyone, 'post', '/v1/auth/register', body);
      const actor = member(data.member.id);
      return [
        ['workspace.created', SYSTEM, { id: data.workspace.id }],
        ['channel.created', SYSTEM, { name: 'Website' }],
        ['member.created', actor, { id: data.member.id, role: 'owner' }],
        ['session.started', actor, { method: 'register', member_id: data.member.id, api_key_id: null }],
      ];
    },
  ],
  [
    'a member logs in',
    async scene => {
      const { memberId, email } = scene.owner;
      await scene.send(world.anyone, 'post', '/v1/auth/login', { email, password: PASSWORD });
      return [['session.started', member(memberId), { method: 'login', member_id: memberId, channel_ids: null }]];
    },
  ],
  [
    'an invite is accepted',
    async scene => {
      const invite = await invited(scene.desk);
      const body = { invite_token: invite.token, name: 'Gina', password: PASSWORD };
      const { data } = await scene.send(world.anyone, 'post', '/v1/auth/register-user', body);
      const actor = member(data.member.id);
      return [
        ['member.created', actor, { id: data.member.id }],
        ['invite.accepted', actor, { id: invite.id, status: 'accepted' }],
        ['session.started', actor, { method: 'invite', member_id: data.member.id }],
      ];
    },
  ],
  [
    'an SSO ticket is issued',
    async scene => {
      const body = { email: scene.owner.email, channel_ids: [scene.desk.channelId] };
      await scene.send(scene.key, 'post', '/v1/auth/sso/ticket', body);
      const payload = { member_id: scene.owner.memberId, api_key_id: scene.keyId, channel_ids: body.channel_ids };
      return [['sso_ticket.issued', apiKey(scene.keyId), payload]];
    },
  ],
  [
    'an SSO ticket is exchanged',
    async scene => {
      const ticket = await ticketFor(scene.key, scene.owner.email, []);
      await scene.send(world.anyone, 'post', '/v1/auth/sso/exchange', { ticket });
      const payload = { method: 'sso', member_id: scene.owner.memberId, api_key_id: scene.keyId, channel_ids: [] };
      return [['session.started', apiKey(scene.keyId), payload]];
    },
  ],
  [
    'an API key creates a session',
    async scene => {
      const { email, memberId } = scene.owner;
      await scene.send(scene.key, 'post', '/v1/auth/agent-token', { email });
      const payload = { method: 'agent_token', member_id: memberId, api_key_id: scene.keyId };
      return [['session.started', apiKey(scene.keyId), payload]];
    },
  ],
  [
    'a session is narrowed to fewer channels',
    async scene => {
      const { api, memberId } = scene.owner;
      await scene.send(api, 'post', '/v1/auth/agent-token', { channel_ids: [] });
      const payload = { method: 'agent_token', member_id: memberId, api_key_id: null, channel_ids: [] };
      return [['session.started', member(memberId), payload]];
    },
  ],
];

const REFUSALS: [string, Action][] = [
  [
    'a login with a wrong password',
    async scene => {
      const { email, memberId } = scene.owner;
      await scene.send(world.anyone, 'post', '/v1/auth/login', { email, password: OTHER_PASSWORD });
      const payload = { method: 'login', member_id: memberId, reason: 'invalid_credentials' };
      return [['session.refused', SYSTEM, payload]];
    },
  ],
  [
    'a login of a deactivated member',
    async scene => {
      const { email, memberId } = await world.hire(scene.desk);
      await scene.owner.api.post(`${MEMBERS}/${memberId}/deactivate`);
      await scene.send(world.anyone, 'post', '/v1/auth/login', { email, password: PASSWORD });
      const payload = { method: 'login', member_id: memberId, reason: 'member_deactivated' };
      return [['session.refused', SYSTEM, payload]];
    },
  ],
  [
    'a registration with a known email and a wrong password',
    async scene => {
      const { email, memberId } = scene.owner;
      const body = { workspace_name: 'W', name: 'N', email, password: OTHER_PASSWORD };
      await scene.send(world.anyone, 'post', '/v1/auth/register', body);
      const payload = { method: 'register', member_id: memberId, reason: 'invalid_credentials' };
      return [['session.refused', SYSTEM, payload]];
    },
  ],
  [
    'a refresh after the end of the session',
    async scene => {
      const { refreshToken, memberId } = await world.hire(scene.desk);
      await world.anyone.post('/v1/auth/logout', { refresh_token: refreshToken });
      await scene.send(world.anyone, 'post', '/v1/auth/refresh', { refresh_token: refreshToken });
      return [['session.refused', SYSTEM, { method: 'refresh', member_id: memberId, reason: 'token_revoked' }]];
    },
  ],
  [
    'a refresh after seven days',
    async scene => {
      const { refreshToken, memberId } = await world.hire(scene.desk);
      world.app.clock.advance(7 * 24 * 3600 + 1);
      await scene.send(world.anyone, 'post', '/v1/auth/refresh', { refresh_token: refreshToken });
      return [['session.refused', SYSTEM, { method: 'refresh', member_id: memberId, reason: 'token_expired' }]];
    },
  ],
  [
    'use of an accepted invite',
    async scene => {
      const { token: invite_token } = await invited(scene.desk);
      const body = { invite_token, name: 'G', password: PASSWORD };
      await world.anyone.post('/v1/auth/register-user', body);
      await scene.send(world.anyone, 'post', '/v1/auth/register-user', body);
      return [['session.refused', SYSTEM, { method: 'invite', member_id: null, reason: 'invite_accepted' }]];
    },
  ],
  [
    'use of a revoked invite',
    async scene => {
      const { id, token: invite_token } = await invited(scene.desk);
      await scene.owner.api.delete(`${INVITES}/${id}`);
      const body = { invite_token, name: 'G', password: PASSWORD };
      await scene.send(world.anyone, 'post', '/v1/auth/register-user', body);
      return [['session.refused', SYSTEM, { method: 'invite', member_id: null, reason: 'invite_revoked' }]];
    },
  ],
  [
    'acceptance of an invite by a known user with a wrong password',
    async scene => {
      const { email } = (await world.register()).owner;
      const { token: invite_token } = await invited(scene.desk, { email });
      const body = { invite_token, name: 'G', password: OTHER_PASSWORD };
      await scene.send(world.anyone, 'post', '/v1/auth/register-user', body);
      return [['session.refused', SYSTEM, { method: 'invite', member_id: null, reason: 'invalid_credentials' }]];
    },
  ],
  ...(
    [
      ['was already used', 'spent', async (_scene, ticket) => void (await exchange(ticket))],
      ['has expired', 'expired', () => Promise.resolve(world.app.clock.advance(60))],
      [
        'belongs to a revoked API key',
        'key_ended',
        async scene => void (await scene.owner.api.delete(`/v1/api-keys/${scene.keyId}`)),
      ],
      [
        'belongs to a deactivated member',
        'member_deactivated',
        async (scene, _ticket, id) => void (await scene.owner.api.post(`${MEMBERS}/${id}/deactivate`)),
      ],
    ] as [string, string, (scene: Scene, ticket: string, memberId: string) => Promise<void>][]
  ).map(([condition, reason, end]): [string, Action] => [
    `an SSO ticket that ${condition}`,
    async scene => {
      const { email, memberId } = await world.hire(scene.desk);
      const ticket = await ticketFor(scene.key, email);
      await end(scene, ticket, memberId);
      await scene.send(world.anyone, 'post', '/v1/auth/sso/exchange', { ticket });
      return [['session.refused', SYSTEM, { method: 'sso', member_id: memberId, reason }]];
    },
  ]),
  ...(['sso/ticket', 'agent-token'] as const).map((endpoint): [string, Action] => [
    `a request of an API key to ${endpoint} for a deactivated member`,
    async scene => {
      const { email, memberId } = await world.hire(scene.desk);
      await scene.owner.api.post(`${MEMBERS}/${memberId}/deactivate`);
      await scene.send(scene.key, 'post', `/v1/auth/${endpoint}`, { email });
      const method = endpoint === 'sso/ticket' ? 'sso' : 'agent_token';
      const payload = { method, member_id: memberId, reason: 'member_deactivated' };
      return [['session.refused', apiKey(scene.keyId), payload]];
    },
  ]),
  [
    'an attempt of an API key’s session to leave its workspace',
    async scene => {
      const { email, memberId } = scene.owner;
      const { token } = (await scene.key.post('/v1/auth/agent-token', { email })).data;
      const { workspaceId: workspace_id } = await world.register();
      await scene.send(world.as(token), 'post', '/v1/auth/agent-token', { workspace_id });
      const payload = { method: 'agent_token', member_id: memberId, reason: 'workspace_bound' };
      return [['session.refused', member(memberId), payload]];
    },
  ],
  [
    'an attempt of a session to enter a workspace of others',
    async scene => {
      const { workspaceId: workspace_id } = await world.register();
      const { api, memberId } = scene.owner;
      await scene.send(api, 'post', '/v1/auth/agent-token', { workspace_id });
      const payload = { method: 'agent_token', member_id: memberId, reason: 'not_found' };
      return [['session.refused', member(memberId), payload]];
    },
  ],
  [
    'use of a revoked API key',
    async scene => {
      await scene.owner.api.delete(`/v1/api-keys/${scene.keyId}`);
      await scene.send(scene.key, 'get', '/v1/workspace');
      return [['api_key.refused', apiKey(scene.keyId), { id: scene.keyId, reason: 'revoked' }]];
    },
  ],
  [
    'a password change with a wrong old password',
    async scene => {
      const { api, memberId } = scene.owner;
      const body = { old_password: OTHER_PASSWORD, password: `${OTHER_PASSWORD} 2` };
      await scene.send(api, 'post', '/v1/auth/password', body);
      const payload = { method: 'password', member_id: memberId, reason: 'invalid_credentials' };
      return [['session.refused', member(memberId), payload]];
    },
  ],
  [
    'use of a password reset link that was already used',
    async scene => {
      const { email, memberId } = scene.owner;
      const body = { reset_token: await resetToken(email), password: OTHER_PASSWORD };
      await world.anyone.post('/v1/auth/password/reset', body);
      await scene.send(world.anyone, 'post', '/v1/auth/password/reset', body);
      const payload = { method: 'password', member_id: memberId, reason: 'reset_invalid' };
      return [['session.refused', SYSTEM, payload]];
    },
  ],
];

const ENDS: [string, Action][] = [
  [
    'a member signs out',
    async scene => {
      const { memberId, refreshToken } = scene.owner;
      await scene.send(world.anyone, 'post', '/v1/auth/logout', { refresh_token: refreshToken });
      return [['session.ended', member(memberId), { member_id: memberId, reason: 'logout' }]];
    },
  ],
  [
    'a rotated refresh token is used again',
    async scene => {
      const { email, memberId } = scene.owner;
      const body = { email, password: PASSWORD, rotate: true };
      const { refresh_token } = (await world.anyone.post('/v1/auth/login', body)).data;
      await world.anyone.post('/v1/auth/refresh', { refresh_token });
      world.app.clock.advance(11);
      await scene.send(world.anyone, 'post', '/v1/auth/refresh', { refresh_token });
      return [
        ['session.ended', member(memberId), { member_id: memberId, reason: 'refresh_reused' }],
        ['session.refused', SYSTEM, { method: 'refresh', member_id: memberId, reason: 'token_revoked' }],
      ];
    },
  ],
  [
    'a password is changed',
    async scene => {
      const { api, email, memberId } = scene.owner;
      await login(email);
      await scene.send(api, 'post', '/v1/auth/password', { old_password: PASSWORD, password: OTHER_PASSWORD });
      return [
        ['password.changed', member(memberId), { member_id: memberId }],
        ['session.ended', member(memberId), { member_id: memberId, reason: 'password_changed' }],
      ];
    },
  ],
  [
    'a password reset is requested',
    async scene => {
      const { email, memberId } = scene.owner;
      await scene.send(world.anyone, 'post', '/v1/auth/password/forgot', { email });
      return [['password.reset_requested', SYSTEM, { member_id: memberId }]];
    },
  ],
  [
    'a password is reset by a mailed link',
    async scene => {
      const { email, memberId } = scene.owner;
      const body = { reset_token: await resetToken(email), password: OTHER_PASSWORD };
      await scene.send(world.anyone, 'post', '/v1/auth/password/reset', body);
      return [
        ['password.reset', member(memberId), { member_id: memberId }],
        ['session.ended', member(memberId), { member_id: memberId, reason: 'password_reset' }],
      ];
    },
  ],
  [
    'a member is deactivated',
    async scene => {
      const { memberId } = await world.hire(scene.desk);
      await scene.send(scene.key, 'post', `${MEMBERS}/${memberId}/deactivate`);
      return [
        [
          'member.updated',
          apiKey(scene.keyId),
          { member: { id: memberId, status: 'deactivated' }, changed: ['status'] },
        ],
        ['session.ended', apiKey(scene.keyId), { member_id: memberId, reason: 'member_deactivated' }],
      ];
    },
  ],
  [
    'an API key is deleted with its sessions',
    async scene => {
      const { email, memberId, api } = scene.owner;
      await scene.key.post('/v1/auth/agent-token', { email });
      await scene.send(api, 'delete', `/v1/api-keys/${scene.keyId}?end_sessions=true`);
      return [
        ['api_key.revoked', member(memberId), { id: scene.keyId }],
        ['session.ended', member(memberId), { member_id: memberId, reason: 'api_key_revoked' }],
      ];
    },
  ],
];

const CHANGES: [string, Action][] = [
  [
    'an API key is created',
    async scene => {
      const { api, memberId } = scene.owner;
      const { data } = await scene.send(api, 'post', '/v1/api-keys', { name: 'another' });
      const payload = { id: data.id, name: 'another', scopes: ['*'], created_by: memberId };
      return [['api_key.created', member(memberId), payload]];
    },
  ],
  [
    'an API key deletes itself',
    async scene => {
      await scene.send(scene.key, 'delete', `/v1/api-keys/${scene.keyId}`);
      return [['api_key.revoked', apiKey(scene.keyId), { id: scene.keyId }]];
    },
  ],
  [
    'a member is created by API key',
    async scene => {
      const body = { email: someEmail(), name: 'Adam', role: 'admin', password: PASSWORD };
      const { data } = await scene.send(scene.key, 'post', MEMBERS, body);
      return [['member.created', apiKey(scene.keyId), { id: data.id, email: body.email, role: 'admin' }]];
    },
  ],
  [
    'a member is changed',
    async scene => {
      const { memberId } = await world.hire(scene.desk);
      await scene.send(scene.owner.api, 'patch', `${MEMBERS}/${memberId}`, { role: 'admin', channel_ids: [] });
      const payload = { member: { id: memberId, role: 'admin', channel_ids: [] }, changed: ['role', 'channel_ids'] };
      return [['member.updated', member(scene.owner.memberId), payload]];
    },
  ],
  [
    'a member is reactivated',
    async scene => {
      const { memberId } = await world.hire(scene.desk);
      await scene.owner.api.post(`${MEMBERS}/${memberId}/deactivate`);
      await scene.send(scene.owner.api, 'post', `${MEMBERS}/${memberId}/reactivate`);
      const payload = { member: { id: memberId, status: 'active' }, changed: ['status'] };
      return [['member.updated', member(scene.owner.memberId), payload]];
    },
  ],
  [
    'a member changes its profile',
    async scene => {
      const { api, memberId } = scene.owner;
      await scene.send(api, 'patch', `${MEMBERS}/me`, { availability: 'away' });
      const payload = { member: { id: memberId, availability: 'away' }, changed: ['availability'] };
      return [['member.updated', member(memberId), payload]];
    },
  ],
  [
    'an invite is created',
    async scene => {
      const { api, memberId } = scene.owner;
      const body = { email: someEmail(), role: 'admin' };
      const { data } = await scene.send(api, 'post', INVITES, body);
      return [['invite.created', member(memberId), { id: data.id, ...body }]];
    },
  ],
  ...(
    [
      ['is renewed', 'post', () => INVITES, 'invite.renewed'],
      ['is sent again', 'post', id => `${INVITES}/${id}/resend`, 'invite.renewed'],
      ['is revoked', 'delete', id => `${INVITES}/${id}`, 'invite.revoked'],
    ] as [string, Method, (id: string) => string, string][]
  ).map(([action, method, path, type]): [string, Action] => [
    `an invite ${action}`,
    async scene => {
      const { id, email, token } = await invited(scene.desk);
      scene.secrets.push(token);
      await scene.send(scene.key, method, path(id as string), { email });
      return [[type, apiKey(scene.keyId), { id, email }]];
    },
  ]),
  [
    'a channel is created',
    async scene => {
      const { data } = await scene.send(scene.owner.api, 'post', '/v1/channels', { name: 'Shop' });
      return [['channel.created', member(scene.owner.memberId), { id: data.id, name: 'Shop' }]];
    },
  ],
  ...(
    [
      ['is changed', 'patch', '', 'channel.updated'],
      ['gets a new widget token', 'post', '/rotate-token', 'channel.updated'],
      ['gets a new identity secret', 'post', '/rotate-identity-secret', 'channel.secret_rotated'],
      ['is deleted', 'delete', '', 'channel.deleted'],
    ] as [string, Method, string, string][]
  ).map(([change, method, action, type]): [string, Action] => [
    `a channel ${change}`,
    async scene => {
      const { channelId } = scene.desk;
      await scene.send(scene.key, method, `/v1/channels/${channelId}${action}`, { name: 'Changed' });
      const entry: Expected = [type, apiKey(scene.keyId), { id: channelId }];
      if (type !== 'channel.secret_rotated') return [entry];
      return [
        entry,
        ['channel.tokens_refused', apiKey(scene.keyId), { id: channelId, kind: 'verified', generation: 1 }],
      ];
    },
  ]),
  [
    'a bot is created',
    async scene => {
      const { data } = await scene.send(scene.owner.api, 'post', '/v1/bots', { name: 'Robo' });
      return [['bot.created', member(scene.owner.memberId), { id: data.id, name: 'Robo' }]];
    },
  ],
  ...(
    [
      ['is changed', 'patch', '', 'bot.updated'],
      ['gets a new secret', 'post', '/rotate-secret', 'bot.secret_rotated'],
      ['is deleted', 'delete', '', 'bot.deleted'],
    ] as [string, Method, string, string][]
  ).map(([change, method, action, type]): [string, Action] => [
    `a bot ${change}`,
    async scene => {
      const { id, secret } = (await scene.owner.api.post('/v1/bots', { name: 'Robo' })).data;
      scene.secrets.push(secret as string);
      await scene.send(scene.key, method, `/v1/bots/${id}${action}`, { name: 'Changed' });
      return [[type, apiKey(scene.keyId), { id }]];
    },
  ]),
  [
    'a webhook is created',
    async scene => {
      const { data } = await scene.send(scene.owner.api, 'post', '/v1/webhooks', WEBHOOK);
      scene.secrets.push(data.secret as string);
      return [['webhook.created', member(scene.owner.memberId), { id: data.id, url: 'http://127.0.0.1:9/' }]];
    },
  ],
  ...(
    [
      ['is changed', 'patch', '', 'webhook.updated', { description: 'Changed' }],
      ['gets a new secret', 'post', '/rotate-secret', 'webhook.secret_rotated', {}],
      ['gets earlier events again', 'post', '/replay', 'webhook.replayed', PAST],
      ['is deleted', 'delete', '', 'webhook.deleted', {}],
    ] as [string, Method, string, string, object][]
  ).map(([change, method, action, type, body]): [string, Action] => [
    `a webhook ${change}`,
    async scene => {
      const { id, secret } = (await scene.owner.api.post('/v1/webhooks', WEBHOOK)).data;
      scene.secrets.push(secret as string);
      await scene.send(scene.key, method, `/v1/webhooks/${id}${action}`, body);
      return [[type, apiKey(scene.keyId), { id }]];
    },
  ]),
  ...(
    [
      ['is blocked', 'post', '/block', 'contact.blocked', {}],
      ['is unblocked', 'post', '/unblock', 'contact.unblocked', {}],
      ['is exported', 'post', '/export', 'contact.exported', {}],
      ['is erased', 'delete', '', 'contact.deleted', {}],
      ['is merged with another', 'post', '/merge', 'contact.merged', { merges: true }],
    ] as [string, Method, string, string, { merges?: boolean }][]
  ).map(([change, method, action, type, { merges }]): [string, Action] => [
    `a contact ${change}`,
    async scene => {
      const { api, memberId } = scene.owner;
      const { id } = (await api.post('/v1/contacts', { name: 'Cara' })).data;
      const from = merges ? (await api.post('/v1/contacts', { name: 'Cara' })).data.id : null;
      if (action === '/unblock') await api.post(`/v1/contacts/${id}/block`);
      await scene.send(api, method, `/v1/contacts/${id}${action}`, merges ? { from_id: from } : undefined);
      return [[type, member(memberId), merges ? { id: from, into_id: id } : { id }]];
    },
  ]),
  [
    'a transcript is mailed',
    async scene => {
      const visitor = await world.visitor(scene.desk);
      const { id, number } = await world.conversation(visitor);
      await scene.send(scene.key, 'post', `/v1/conversations/${id as string}/transcript`, { email: someEmail() });
      return [['transcript.mailed', apiKey(scene.keyId), { id, number, to_contact: false }]];
    },
  ],
  ...(
    [
      ['is renamed', 'post', '/rename', { from: 'vip', to: 'VIP 2' }],
      ['is deleted', 'delete', '/vip', undefined],
    ] as [string, Method, string, object | undefined][]
  ).map(([change, method, action, body]): [string, Action] => [
    `a tag ${change}`,
    async scene => {
      const { api, memberId } = scene.owner;
      const { id } = await world.conversation(await world.visitor(scene.desk));
      await api.patch(`/v1/conversations/${id as string}`, { tags: ['vip'] });
      await scene.send(api, method, `/v1/tags${action}`, body);
      return [['tag.updated', member(memberId), { from: 'vip', to: body ? 'VIP 2' : null }]];
    },
  ]),
  [
    'a report is read as a file',
    async scene => {
      const range = { from: '2026-01-01T00:00:00.000000Z', to: '2026-01-08T00:00:00.000000Z' };
      const query = new URLSearchParams({ ...range, interval: 'week', format: 'csv' });
      await scene.send(scene.owner.api, 'get', `/v1/reports/tags?${query.toString()}`);
      const details = {
        report: 'tags',
        ...range,
        interval: 'week',
        timezone: 'UTC',
        channel_id: null,
        member_id: null,
      };
      return [['report.exported', member(scene.owner.memberId), details]];
    },
  ],
  [
    'a shared view is created, changed and deleted',
    async scene => {
      const { api, memberId } = scene.owner;
      const body = { name: 'Urgent', filters: { priority: 'urgent' }, shared: true };
      const { id } = (await scene.send(api, 'post', '/v1/views', body)).data;
      await scene.send(api, 'patch', `/v1/views/${id}`, { name: 'Very urgent' });
      await scene.send(api, 'delete', `/v1/views/${id}`);
      return [
        ['view.created', member(memberId), { id }],
        ['view.updated', member(memberId), { id }],
        ['view.deleted', member(memberId), { id }],
      ];
    },
  ],
  [
    'the workspace is changed',
    async scene => {
      await scene.send(scene.owner.api, 'patch', '/v1/workspace', { name: 'Renamed' });
      return [['workspace.updated', member(scene.owner.memberId), { name: 'Renamed' }]];
    },
  ],
];

function exchange(ticket: string): Promise<Answer<Json>> {
  return world.anyone.post('/v1/auth/sso/exchange', { ticket });
}

describe.each([
  ['Sign-ins', SIGN_INS],
  ['Refusals', REFUSALS],
  ['Ends of sessions and password changes', ENDS],
  ['Changes of keys, members, invites, channels, bots, contacts, tags and views', CHANGES],
])('%s in the log', (_group, actions) => {
  it.each(actions)('The log has actor, address and user agent, and no secret, for: %s', async (_name, act) => {
    const scene = await Scene.create();
    const expected = await act(scene);
    const rows = await eventually(async () => {
      const rows = await scene.events();
      return rows.length >= expected.length ? rows : undefined;
    }).catch(() => scene.events());
    expect(rows.map(({ type }) => type)).toEqual(expected.map(([type]) => type));
    for (const [index, [, actor, payload]] of expected.entries()) {
      expect(rows[index]).toMatchObject({ actor, payload, address: ADDRESS, user_agent: USER_AGENT });
    }
    const written = JSON.stringify(rows);
    expect(scene.secrets.filter(secret => secret.length > 0 && written.includes(secret))).toEqual([]);
  });
});

describe('The log', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.create();
  });

  it('The log has no event for an ordinary refresh or for guesses at unknown emails and tokens', async () => {
    const strangers: [string, object][] = [
      ['/v1/auth/refresh', { refresh_token: scene.owner.refreshToken }],
      ['/v1/auth/login', { email: someEmail(), password: PASSWORD }],
      ['/v1/auth/sso/exchange', { ticket: 'sst_unknown' }],
      ['/v1/auth/register-user', { invite_token: 'inv_unknown', name: 'N', password: PASSWORD }],
      ['/v1/auth/password/reset', { reset_token: 'rst_unknown', password: PASSWORD }],
      ['/v1/auth/password/forgot', { email: someEmail() }],
    ];
    for (const [path, body] of strangers) await scene.send(world.anyone, 'post', path, body);
    // Refusals are recorded after the response, but in order: an event of the requests above would precede this one.
    await world.anyone.post('/v1/auth/login', { email: scene.owner.email, password: OTHER_PASSWORD });
    const sql = `SELECT 1 FROM event WHERE workspace_id = $1 AND type = 'session.refused'`;
    await eventually(async () => (await world.app.database.query(sql, [scene.desk.workspaceId]))[0]);
    expect(await scene.events()).toEqual([]);
  });

  it('A password change is recorded in each of the user’s workspaces with that workspace’s member only', async () => {
    const { email } = scene.owner;
    const body = { workspace_name: unique('Second'), name: 'Olivia', email, password: PASSWORD };
    const second = (await world.anyone.post('/v1/auth/register', body)).data;
    const unclaimed = await world.register();
    const evil = await world.apiKey(unclaimed);
    await evil.post(MEMBERS, { email, name: 'Olivia' });
    await scene.send(scene.owner.api, 'post', '/v1/auth/password', { old_password: 'wrong', password: OTHER_PASSWORD });
    await scene.send(scene.owner.api, 'post', '/v1/auth/password', {
      old_password: PASSWORD,
      password: OTHER_PASSWORD,
    });
    const sql =
      'SELECT workspace_id, type, actor, payload FROM event WHERE request_id = $1 ORDER BY type, workspace_id';
    const rows = await eventually(async () => {
      const found = await world.app.database.query<Json>(sql, [scene.requestId]);
      return found.filter(({ type }) => type === 'session.refused').length === 2 ? found : undefined;
    });
    const here = { workspace_id: scene.desk.workspaceId, id: scene.owner.memberId };
    const there = { workspace_id: second.workspace.id, id: second.member.id };
    for (const type of ['password.changed', 'session.refused']) {
      const found = rows.filter((row: Json) => row.type === type);
      expect(found.map(({ workspace_id, actor }: Json) => ({ workspace_id, id: actor.id }))).toEqual(
        [here, there].sort((a, b) => (a.workspace_id < b.workspace_id ? -1 : 1)),
      );
      for (const { actor, payload } of found) expect(payload.member_id).toBe(actor.id);
    }
    expect(rows.map(({ workspace_id }: Json) => workspace_id)).not.toContain(unclaimed.workspaceId);
  });

  it('The log has the address of a client that disconnects without waiting for the response', async () => {
    await scene.owner.api.delete(`/v1/api-keys/${scene.keyId}`);
    const { port, hostname } = new URL(world.app.url);
    const lines = [
      'GET /v1/workspace HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${scene.key.token}`,
      `X-Request-Id: ${scene.requestId}`,
      `X-Forwarded-For: ${ADDRESS}`,
      `User-Agent: ${USER_AGENT}`,
    ];
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise(resolve => socket.write(`${lines.join('\r\n')}\r\n\r\n`, resolve));
    socket.resetAndDestroy();
    const [row] = await eventually(async () => {
      const rows = await scene.events();
      return rows.length > 0 ? rows : undefined;
    });
    expect(row).toMatchObject({ type: 'api_key.refused', address: ADDRESS, user_agent: USER_AGENT });
  });

  it('A lockout is recorded once a minute for a known email, and never for an unknown one', async () => {
    const env = { TRUST_PROXY: '1', RATE_LIMITS: 'login_email=2/900' };
    const limited = await World.start(env, { database: world.app.database });
    const { email, memberId } = scene.owner;
    const tryLogin = (password: string, address = email) =>
      scene.send(limited.anyone, 'post', '/v1/auth/login', { email: address, password });
    const stranger = someEmail();
    for (let attempt = 0; attempt < 3; attempt += 1) await tryLogin(OTHER_PASSWORD, stranger);
    expect((await tryLogin(PASSWORD, stranger)).status).toBe(429);
    for (const status of [401, 401, 429]) expect((await tryLogin(OTHER_PASSWORD)).status).toBe(status);
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await tryLogin(PASSWORD)).status).toBe(429);
    const reasons = async () => (await scene.events()).map(({ payload }) => payload.reason as string);
    const guesses = ['invalid_credentials', 'invalid_credentials'];
    // refusals are recorded beside the responses, so their order may differ
    const untilReasons = (...expected: string[]) =>
      eventually(async () => ((await reasons()).sort().join() === expected.sort().join() ? true : undefined));
    await untilReasons(...guesses, 'rate_limited');
    limited.app.clock.advance(61);
    await tryLogin(PASSWORD);
    await untilReasons(...guesses, 'rate_limited', 'rate_limited');
    const [row] = (await scene.events()).slice(-1);
    expect(row).toMatchObject({
      actor: SYSTEM,
      payload: { member_id: memberId },
      address: ADDRESS,
      user_agent: USER_AGENT,
    });
    await limited.stop();
  });

  it('The log stores at most 400 characters of a User-Agent, and null for an empty one', async () => {
    const { api, memberId } = scene.owner;
    const path = `${MEMBERS}/me`;
    await api.patch(path, { name: 'Once' }, { 'User-Agent': 'x'.repeat(5_000) });
    await api.patch(path, { name: 'Twice' }, { 'User-Agent': '' });
    const sql = `SELECT user_agent, address FROM event
      WHERE type = 'member.updated' AND actor ->> 'id' = $1 ORDER BY position`;
    const rows = await world.app.database.query<{ user_agent: string | null; address: string }>(sql, [memberId]);
    expect(rows.map(({ user_agent }) => user_agent)).toEqual(['x'.repeat(400), null]);
    expect(rows.map(({ address }) => address)).toEqual(['127.0.0.1', '127.0.0.1']);
  });
});

describe('Events without an entry in the audit log', () => {
  /** Recorded by a job, without a request. */
  const RECORDED_BY_JOB = new Set(['contact.erased', 'webhook.disabled']);
  /** Events of conversations and contacts' profiles. Blocking, exporting or erasing a contact is not among them. */
  const UNAUDITED = /^(message|conversation|canned_response)\.|^contact\.(created|updated)$/;
  const AUDITED = /^(api_key|bot|channel|contact|invite|member|password|session|sso_ticket|webhook|workspace)\./;
  const isUnaudited = (type: string) => EVENT_REGISTRY.get(type as EventType).audit === null;

  it('Conversations, profiles and canned responses have no audit entries; people, settings and secrets have', () => {
    for (const type of EVENT_REGISTRY.types) {
      if (UNAUDITED.test(type)) expect([type, isUnaudited(type)]).toEqual([type, true]);
      else if (AUDITED.test(type)) expect([type, isUnaudited(type)]).toEqual([type, false]);
    }
  });

  it('Events without an audit entry have no address and no user agent', async () => {
    const headers = { 'X-Forwarded-For': ADDRESS, 'User-Agent': USER_AGENT };
    const desk = await world.register();
    const open = { widget_token: desk.widgetToken, external_id: unique('visitor') };
    const { visitor_token } = (await world.anyone.post('/v1/widget/session', open, headers)).data;
    const visitor = world.as(visitor_token as string);
    const start = { message: { content: 'Hello?' } };
    const { conversation, message } = (await visitor.post('/v1/widget/conversations', start, headers)).data;
    const path = `/v1/conversations/${conversation.id}`;
    const { api, memberId } = desk.owner;
    await visitor.patch('/v1/widget/contact', { name: 'Carla' }, headers);
    await visitor.post(`/v1/widget/conversations/${conversation.id}/read`, { seq: 1 }, headers);
    const { id } = (await api.post(`${path}/messages`, { content: 'Hi!' }, headers)).data;
    await api.patch(`${path}/messages/${id}`, { content: 'Hi.' }, headers);
    await api.delete(`${path}/messages/${id}`, headers);
    await api.post(`${path}/take`, undefined, headers);
    await api.post(`${path}/read`, { seq: 1 }, headers);
    await api.post(`${path}/resolve`, undefined, headers);
    await api.post(`${path}/reopen`, undefined, headers);
    for (const collection of collectionsOf(Contract.of(world.app.app).document)) {
      const row = (await api.post(collection.path, collection.newRow(), headers)).data;
      await api.patch(`${collection.path}/${row.id}`, collection.change(), headers);
      await api.delete(`${collection.path}/${row.id}`, headers);
    }
    // Deactivating a member also changes its conversations, by an event of the conversation.
    const colleague = await world.hire(desk);
    await api.post(`${path}/assign`, { member_id: colleague.memberId }, headers);
    await api.post(`${MEMBERS}/${colleague.memberId}/deactivate`, undefined, headers);
    expect([message.seq, typeof memberId]).toEqual([1, 'string']);
    const sql = `SELECT type, count(*)::int AS rows, count(address)::int + count(user_agent)::int AS origins
      FROM event WHERE workspace_id = $1 GROUP BY type ORDER BY type`;
    const kinds = await world.app.database.query<{ type: string; rows: number; origins: number }>(sql, [
      desk.workspaceId,
    ]);
    const found = kinds.filter(({ type }) => isUnaudited(type));
    expect(found.map(({ origins }) => origins)).toEqual(found.map(() => 0));
    expect(found.map(({ type }) => type)).toEqual(EVENT_REGISTRY.types.filter(isUnaudited).sort());
  });

  it('Every other event type has an address and a user agent', async () => {
    const sql = 'SELECT DISTINCT type FROM event WHERE address = $1 AND user_agent = $2';
    const kinds = await world.app.database.query<{ type: string }>(sql, [ADDRESS, USER_AGENT]);
    const others = EVENT_REGISTRY.types.filter(type => !isUnaudited(type) && !RECORDED_BY_JOB.has(type));
    expect(kinds.map(({ type }) => type).sort()).toEqual(others.sort());
    const without = `SELECT DISTINCT type FROM event WHERE address IS NULL`;
    const silent = await world.app.database.query<{ type: string }>(without);
    expect(silent.map(({ type }) => type).filter(type => !isUnaudited(type) && !RECORDED_BY_JOB.has(type))).toEqual([]);
  });
});
