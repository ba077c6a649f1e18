import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditRetentionJob } from '../../src/modules/audit/audit-retention.job.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import { someEmail } from '../support/invites.js';
import type { Json } from '../support/json.js';
import type { Desk } from '../support/world.js';
import { PASSWORD, World } from '../support/world.js';

const ADDRESS = '203.0.113.9';
const USER_AGENT = 'Console/2.0';
/** Timeout for entries. An open transaction of any test in the same cluster delays the log. */
const ENTRY_TIMEOUT_MS = 20_000;

let world: World;
beforeAll(async () => {
  world = await World.start({ TRUST_PROXY: '1', AUDIT_RETENTION_DAYS: '30' });
});
afterEach(() => world.app.clock.reset());
afterAll(() => world.stop());

describe('GET /v1/audit-log', () => {
  let desk: Desk;
  let api: Caller;
  beforeEach(async () => {
    desk = await world.register();
    api = desk.owner.api;
  });

  const list = async (query = '', caller = api): Promise<Json[]> => {
    const { status, data } = await caller.get(`/v1/audit-log${query}`);
    expect(status).toBe(200);
    return data.items;
  };

  /** Waits until a query returns at least `count` entries. */
  const waitForEntries = (count: number, query = ''): Promise<Json[]> =>
    eventually(async () => {
      const items = await list(query);
      return items.length >= count ? items : undefined;
    }, ENTRY_TIMEOUT_MS);

  const createKey = async (name: string) => {
    const headers = { 'X-Forwarded-For': ADDRESS, 'User-Agent': USER_AGENT, 'X-Request-Id': `request-of-${name}` };
    return (await api.post('/v1/api-keys', { name }, headers)).data;
  };

  it('An audit log entry names actor, action, subject, time, address, user agent and request id', async () => {
    const { id, key } = await createKey('backend');
    const [entry] = await waitForEntries(1, '?action=api_key.created');
    expect(entry).toMatchObject({
      action: 'api_key.created',
      actor: { type: 'member', id: desk.owner.memberId, name: 'Olivia Owner' },
      subject: { type: 'api_key', id },
      details: { id, name: 'backend' },
      address: ADDRESS,
      user_agent: USER_AGENT,
      request_id: 'request-of-backend',
    });
    expect(entry?.created_at).toMatch(/^\d{4}-.+\.\d{6}Z$/);
    expect(JSON.stringify(entry)).not.toContain(key);
  });

  it('An audit log entry names the key that acted, even if the key was revoked since', async () => {
    const { id, key } = await createKey('provisioning');
    const { data: made } = await world
      .as(key as string)
      .post('/v1/workspace/members', { email: someEmail(), name: 'Mia' });
    await api.delete(`/v1/api-keys/${id}`);
    const [entry] = await waitForEntries(1, `?subject_id=${made.id}`);
    expect(entry).toMatchObject({ action: 'member.created', actor: { type: 'api_key', id, name: 'provisioning' } });
    await waitForEntries(1, '?action=api_key.revoked');
  });

  it('The audit log has every administrative event and none about messages, conversations or contacts', async () => {
    const { id: keyId } = await createKey('short-lived');
    await api.delete(`/v1/api-keys/${keyId}`);
    const colleague = await world.hire(desk);
    await api.patch(`/v1/workspace/members/${colleague.memberId}`, { role: 'admin' });
    await api.post(`/v1/workspace/members/${colleague.memberId}/deactivate`);
    const { data: invite } = await api.post('/v1/workspace/invites', { email: someEmail(), role: 'agent' });
    await api.delete(`/v1/workspace/invites/${invite.id}`);
    const { data: channel } = await api.post('/v1/channels', { name: 'Shop' });
    await api.post(`/v1/channels/${channel.id}/rotate-identity-secret`);
    await api.delete(`/v1/channels/${channel.id}`);
    const { data: bot } = await api.post('/v1/bots', { name: 'Greeter' });
    await api.post(`/v1/bots/${bot.id}/rotate-secret`);
    await api.delete(`/v1/bots/${bot.id}`);
    await world.anyone.post('/v1/auth/login', { email: desk.owner.email, password: `${PASSWORD} not` });
    await world.conversation(await world.visitor(desk));
    await api.patch('/v1/workspace', { name: 'Renamed' });
    await waitForEntries(1, '?action=workspace.updated');
    const all = await list('?limit=200');
    const actions = new Set(all.map(({ action }) => action as string));
    const expected = ['api_key.created', 'api_key.revoked', 'member.created', 'member.updated', 'session.started'];
    expected.push('session.ended', 'session.refused', 'invite.created', 'invite.revoked', 'channel.created');
    expected.push('channel.secret_rotated', 'channel.deleted', 'bot.created', 'bot.secret_rotated', 'bot.deleted');
    for (const action of [...expected, 'workspace.created', 'workspace.updated']) expect(actions).toContain(action);
    expect([...actions].filter(action => /^(message|conversation|contact)\./.test(action))).toEqual([]);
    const recorded = await world.app.database.query<{ id: string }>(
      'SELECT id FROM event WHERE workspace_id = $1 AND type = ANY($2)',
      [desk.workspaceId, [...actions]],
    );
    expect(all.map(({ id }) => id as string).sort()).toEqual(recorded.map(({ id }) => id).sort());
  });

  it('The audit log is paged newest first without gaps or repeats while entries are added', async () => {
    for (let index = 0; index < 7; index += 1) await createKey(`key ${index}`);
    await waitForEntries(7, '?action=api_key.created');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Json = (
        await api.get(`/v1/audit-log?action=api_key.*&limit=3${cursor === null ? '' : `&cursor=${cursor}`}`)
      ).data;
      seen.push(...(page.items as Json[]).map(({ details }) => details.name as string));
      cursor = page.next_cursor;
      await createKey(`later ${seen.length}`);
    } while (cursor !== null);
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map(index => `key ${index}`));
  });

  it('The audit log can be filtered by action, action group, actor, subject and time', async () => {
    const { id } = await createKey('one');
    await createKey('two');
    await api.delete(`/v1/api-keys/${id}`);
    await waitForEntries(3, '?action=api_key.*');
    const names = async (query: string) => (await list(query)).map(entry => `${entry.action} ${entry.details.name}`);
    expect(await names('?action=api_key.created')).toEqual(['api_key.created two', 'api_key.created one']);
    expect(await names(`?subject_id=${id}`)).toEqual(['api_key.revoked one', 'api_key.created one']);
    expect(await names(`?actor_id=${desk.owner.memberId}&action=api_key.revoked`)).toEqual(['api_key.revoked one']);
    expect(await names(`?actor_id=${id}`)).toEqual([]);
    const [first] = (await list('?action=api_key.created')).slice(-1);
    const at = first?.created_at as string;
    expect(await names(`?action=api_key.created&since=${at}`)).toContain('api_key.created one');
    expect(await names(`?action=api_key.created&until=${at}`)).toEqual([]);
  });

  it.each([
    ['action=keys', 'action'],
    ['action=%25.%25', 'action'],
    ['actor_id=me', 'actor_id'],
    ['since=yesterday', 'since'],
    ['limit=0', 'limit'],
  ])('The audit log refuses ?%s and names the field (400)', async (query, field) => {
    const { status, error } = await api.get(`/v1/audit-log?${query}`);
    expect([status, error?.code]).toEqual([400, 'validation_failed']);
    expect(error?.details?.map((detail: Json) => detail.field)).toEqual([field]);
  });

  it('The audit log refuses a cursor of another list (400)', async () => {
    const { next_cursor: foreign } = (await api.get('/v1/workspace/members?limit=1')).data;
    for (const cursor of ['x', foreign ?? Buffer.from('["members","x"]').toString('base64url')]) {
      expect((await api.get(`/v1/audit-log?cursor=${cursor}`)).status).toBe(400);
    }
  });

  it('Owners, admins and keys read the audit log of their workspace; agents and narrowed sessions get 403', async () => {
    await createKey('ours');
    await waitForEntries(1, '?action=api_key.created');
    const agent = await world.hire(desk);
    expect((await agent.api.get('/v1/audit-log')).status).toBe(403);
    const narrowed = (await api.post('/v1/auth/agent-token', { channel_ids: [desk.channelId] })).data;
    const refused = await world.as(narrowed.token as string).get('/v1/audit-log');
    expect([refused.status, refused.error?.code]).toEqual([403, 'scope_too_narrow']);
    const stranger = await world.register();
    expect(await list('?action=api_key.created', stranger.owner.api)).toEqual([]);
    const key = await world.apiKey(desk);
    expect((await list('?action=api_key.created', key)).length).toBeGreaterThan(0);
  });

  it('Audit log entries outlive the event log and are deleted after AUDIT_RETENTION_DAYS', async () => {
    const { id } = await createKey('old');
    await waitForEntries(1, `?subject_id=${id}`);
    await world.app.database.query('DELETE FROM event WHERE workspace_id = $1', [desk.workspaceId]);
    const job = world.app.app.get(AuditRetentionJob);
    world.app.clock.advance(29 * 24 * 3600);
    await job.run();
    world.app.clock.reset();
    expect(await list(`?subject_id=${id}`)).toHaveLength(1);
    world.app.clock.advance(31 * 24 * 3600);
    await job.run();
    world.app.clock.reset();
    expect(await list(`?subject_id=${id}`)).toEqual([]);
  });
});
