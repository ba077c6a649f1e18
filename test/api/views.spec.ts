import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import type { Agent } from '../support/world.js';
import { unique } from '../support/world.js';

const PATH = '/v1/views';
let agent: Agent;
beforeEach(async () => {
  agent = await world.colleague(desk);
});

const create = (by: Caller, body: object = {}) => by.post(PATH, { name: unique('View'), filters: {}, ...body });
const made = async (by: Caller, body: object = {}): Promise<Json> => {
  const answer = await create(by, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.data;
};
const list = async (by: Caller): Promise<Json[]> => (await by.get(`${PATH}?limit=200`)).data.items as Json[];
const namesOf = async (by: Caller) => (await list(by)).map(({ name }) => name);
const countsOf = async (by: Caller): Promise<Record<string, number | null>> =>
  Object.fromEntries(
    (await by.get(`${PATH}/counts`)).data.items.map(({ id, count }: Json) => [id as string, count as number]),
  );
const outcome = ({ status, error }: { status: number; error?: { code: string } }) => [status, error?.code];
const conversation = async (channel: { widgetToken: string } = desk, name = 'Vera') =>
  (await world.conversation(await world.visitor(channel, { name }))).id as string;

describe('Saved views of the inbox', () => {
  it("A member's own view is listed, read, changed and deleted by that member alone.", async () => {
    const view = await made(agent.api, { name: 'Mine', filters: { status: 'open', assignee: 'me' } });
    expect(view).toEqual({
      id: view.id,
      name: 'Mine',
      filters: { status: 'open', assignee: 'me' },
      shared: false,
      position: 0,
      created_by: agent.memberId,
      created_at: view.created_at,
      updated_at: view.updated_at,
    });
    expect(await list(agent.api)).toEqual([view]);
    for (const other of [owner, await world.apiKey(desk), (await world.desk()).owner.api]) {
      expect(await list(other)).toEqual([]);
      for (const answer of [
        await other.get(`${PATH}/${view.id as string}`),
        await other.patch(`${PATH}/${view.id as string}`, { name: 'Theirs' }),
        await other.delete(`${PATH}/${view.id as string}`),
      ])
        expect(answer.status).toBe(404);
    }
    const changed = await agent.api.patch(`${PATH}/${view.id as string}`, { name: ' New ', filters: { tag: 'vip' } });
    expect(changed.data).toMatchObject({ name: 'New', filters: { tag: 'vip' }, position: 0 });
    expect((await agent.api.delete(`${PATH}/${view.id as string}`)).data).toEqual({ id: view.id, deleted: true });
    expect(await list(agent.api)).toEqual([]);
  });

  it('A shared view is seen by all, and changed by admins of all channels and by keys alone.', async () => {
    const key = await world.apiKey(desk);
    const scoped = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    expect(outcome(await create(agent.api, { shared: true }))).toEqual([403, 'forbidden']);
    expect(outcome(await create(scoped.api, { shared: true }))).toEqual([403, 'scope_too_narrow']);
    expect((await create(key, { shared: false })).error.details).toMatchObject([{ field: 'shared' }]);
    const byKey = await made(key, { name: 'By key' });
    const byOwner = await made(owner, { name: 'By owner', shared: true });
    expect([byKey.shared, byKey.created_by, byOwner.created_by]).toEqual([true, null, desk.owner.memberId]);
    for (const by of [agent.api, scoped.api, owner, key]) expect(await namesOf(by)).toEqual(['By key', 'By owner']);
    const one = `${PATH}/${byKey.id as string}`;
    expect(outcome(await agent.api.patch(one, { name: 'x' }))).toEqual([403, 'forbidden']);
    expect(outcome(await agent.api.delete(one))).toEqual([403, 'forbidden']);
    expect(outcome(await scoped.api.delete(one))).toEqual([403, 'scope_too_narrow']);
    expect((await owner.patch(one, { name: 'Renamed' })).data.created_by).toBeNull();
    expect((await key.delete(`${PATH}/${byOwner.id as string}`)).status).toBe(200);
  });

  it("An admin shares a view of its own, and makes a shared view its own; an agent's stays its own.", async () => {
    const view = await made(owner, { name: 'Rush' });
    const one = `${PATH}/${view.id as string}`;
    expect((await owner.patch(one, { shared: true })).data).toMatchObject({ shared: true });
    expect(await namesOf(agent.api)).toEqual(['Rush']);
    expect((await owner.patch(one, { shared: false })).data).toMatchObject({ created_by: desk.owner.memberId });
    expect(await namesOf(agent.api)).toEqual([]);
    const own = await made(agent.api);
    expect(outcome(await agent.api.patch(`${PATH}/${own.id as string}`, { shared: true }))).toEqual([403, 'forbidden']);
  });

  it('Views are listed by position, in pages; a new one comes last.', async () => {
    for (const name of ['a', 'b', 'c']) await made(agent.api, { name });
    const [first] = await list(agent.api);
    await agent.api.patch(`${PATH}/${first?.id as string}`, { position: 9 });
    await made(agent.api, { name: 'd' });
    expect(await namesOf(agent.api)).toEqual(['b', 'c', 'a', 'd']);
    const page = (await agent.api.get(`${PATH}?limit=3`)).data;
    const rest = (await agent.api.get(`${PATH}?limit=3&cursor=${page.next_cursor as string}`)).data;
    expect(rest.items.map(({ name }: Json) => name)).toEqual(['d']);
    expect(outcome(await agent.api.get(`${PATH}?cursor=x`))).toEqual([400, 'cursor_invalid']);
  });

  it("A name is unique among the shared views and among a member's own, in any case (409), also under race.", async () => {
    await made(agent.api, { name: 'Open' });
    expect(outcome(await create(agent.api, { name: 'OPEN ' }))).toEqual([409, 'view_name_taken']);
    await made(owner, { name: 'Open' });
    await made(owner, { name: 'Open', shared: true });
    const answers = await race(8, () => create(owner, { name: 'Raced', shared: true }));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)]);
    const other = await made(agent.api);
    expect(outcome(await agent.api.patch(`${PATH}/${other.id as string}`, { name: 'open' }))).toEqual([
      409,
      'view_name_taken',
    ]);
  });

  it('A member has at most 50 views and a workspace 200 shared ones (409 limit_reached), also when requests race.', async () => {
    for (const [by, shared, count] of [
      [agent, false, 48],
      [desk.owner, true, 198],
    ] as const) {
      await world.app.database.query(
        `INSERT INTO inbox_view (workspace_id, id, name, name_key, filters, shared, position, created_by)
         SELECT $1, gen_random_uuid(), 'v' || n, 'v' || n, '{}', $2, n, $3 FROM generate_series(1, $4) AS n`,
        [desk.workspaceId, shared, by.memberId, count],
      );
      const answers = await race(6, () => create(by.api, { shared }));
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 409, 409, 409, 409]);
      expect(answers.find(({ status }) => status === 409)?.error.code).toBe('limit_reached');
    }
    expect((await create(owner)).status).toBe(201);
  });

  it.each([
    [{ status: 'closed' }, 'filters.status'],
    [{ assignee: 'all' }, 'filters.assignee'],
    [{ waiting_longer_than: -1 }, 'filters.waiting_longer_than'],
    [{ unread: 'maybe' }, 'filters.unread'],
    [{ sort: 'random' }, 'filters.sort'],
    [{ tag: ['vip'] }, 'filters.tag'],
    [{ status: null }, 'filters.status'],
  ])('Filters are checked like those of the list: %j is refused (400).', async (filters, field) => {
    const answer = await create(agent.api, { filters });
    expect([answer.status, answer.error.details?.map(fault => fault.field)]).toEqual([400, [field]]);
  });

  it('Unknown filters, limit and cursor are dropped, and values of a query string are read.', async () => {
    const filters = { unread: 'true', waiting_longer_than: '60', limit: 5, cursor: 'x', colour: 'red' };
    expect((await made(agent.api, { filters })).filters).toEqual({ unread: true, waiting_longer_than: 60 });
  });
});

describe('Views of readers with different scopes', () => {
  it("Counts follow the reader's scope and `me`, and stop at 100.", async () => {
    const shop = await world.channel(desk);
    const limited = await world.colleague(desk, { channel_ids: [shop.id as string] });
    const [one] = [
      await conversation(),
      await conversation(),
      await conversation({ widgetToken: shop.widget_token as string }),
    ];
    await agent.api.post(`/v1/conversations/${one}/take`, {});
    const open = (await made(owner, { shared: true, filters: { status: 'open' } })).id as string;
    const mine = (await made(owner, { shared: true, filters: { assignee: 'me', sort: 'waiting' } })).id as string;
    expect(await countsOf(owner)).toEqual({ [open]: 3, [mine]: 0 });
    expect(await countsOf(agent.api)).toEqual({ [open]: 3, [mine]: 1 });
    expect(await countsOf(limited.api)).toEqual({ [open]: 1, [mine]: 0 });
    expect(await countsOf(await world.apiKey(desk))).toEqual({ [open]: 3, [mine]: 0 });
    await world.app.database.query(
      `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at)
       SELECT workspace_id, gen_random_uuid(), 100 + n, channel_id, contact_id, 'open', false, now()
       FROM conversation, generate_series(1, 150) AS n WHERE id = $1`,
      [one],
    );
    expect((await countsOf(owner))[open]).toBe(100);
  });

  it('What is out of the scope of a reader is answered as null and matches nothing.', async () => {
    const shop = await world.channel(desk);
    const limited = await world.colleague(desk, { channel_ids: [shop.id as string] });
    const visitor = await world.visitor(desk);
    await world.conversation(visitor);
    const filters = { channel_id: desk.channelId, contact_id: visitor.contactId };
    const view = await made(owner, { shared: true, filters });
    const partly = await made(owner, {
      shared: true,
      filters: { channel_id: `${desk.channelId},${shop.id as string}` },
    });
    const seen = await list(limited.api);
    expect(seen.map(one => one.filters)).toEqual([{ channel_id: null, contact_id: null }, { channel_id: shop.id }]);
    expect(await countsOf(limited.api)).toEqual({ [view.id as string]: 0, [partly.id as string]: 0 });
    expect(await countsOf(owner)).toEqual({ [view.id as string]: 1, [partly.id as string]: 1 });
    expect((await list(owner))[0]?.filters).toEqual(filters);
  });

  it("A key's count of views also requires conversations:read (403).", async () => {
    const key = await world.apiKey(desk, { scopes: ['views:write'] });
    expect((await create(key)).status).toBe(201);
    expect((await key.get(`${PATH}/counts`)).status).toBe(403);
  });
});

describe('Frames of views', () => {
  it('A shared view is told to all agents by durable frames without its filters, and audited.', async () => {
    const socket = await world.agentSocket(agent);
    const view = await made(owner, { name: 'Rush', shared: true, filters: { query: 'Vera' } });
    const frame = await socket.next('view.created');
    expect(frame).toMatchObject({ data: { id: view.id, name: 'Rush', shared: true } });
    expect([typeof frame.id, typeof frame.cursor]).toEqual(['string', 'string']);
    expect(JSON.stringify(frame)).not.toContain('Vera');
    await owner.patch(`${PATH}/${view.id as string}`, { name: 'Calm' });
    expect((await socket.next('view.updated')).data).toMatchObject({ name: 'Calm' });
    await owner.delete(`${PATH}/${view.id as string}`);
    expect((await socket.next('view.deleted')).data).toMatchObject({ id: view.id });
    await eventually(async () => {
      const { items } = (await owner.get('/v1/audit-log?action=view.*')).data as { items: Json[] };
      return items.length === 3 || undefined;
    });
    await socket.close();
  });

  it("A member's own view is told to the sockets of that member alone, by frames that are in no log.", async () => {
    const [mine, other] = [await world.agentSocket(agent), await world.agentSocket(desk.owner)];
    const view = await made(agent.api, { name: 'Mine' });
    const frame = await mine.next('view.created');
    expect(frame).toEqual({ type: 'view.created', data: expect.objectContaining({ id: view.id, name: 'Mine' }) });
    await agent.api.patch(`${PATH}/${view.id as string}`, { position: 4 });
    expect((await mine.next('view.updated')).data).toMatchObject({ position: 4 });
    await agent.api.delete(`${PATH}/${view.id as string}`);
    await mine.next('view.deleted');
    await made(owner, { name: 'Last', shared: true });
    expect((await other.next('view.created')).data).toMatchObject({ name: 'Last' });
    const logged = await world.app.database.query(
      `SELECT payload ->> 'name' AS name FROM event WHERE workspace_id = $1 AND type LIKE 'view.%'`,
      [desk.workspaceId],
    );
    expect(logged).toEqual([{ name: 'Last' }]);
    await mine.close();
    await other.close();
  });
});

describe('Views and contacts', () => {
  const person = () =>
    world.visitor(desk, { name: 'Zaphod Beeblebrox', email: 'zb@heart.example', phone: '+44 1234567' });

  it('Erasing a contact takes its words out of views in the same commit; such views match nothing.', async () => {
    const visitor = await person();
    await world.conversation(visitor);
    const queries = ['zb@heart.example', 'BEEBLEBROX', 'from +44 1234567', 'heart.example', 'zap', 'Vera'];
    const views = [];
    for (const query of queries) views.push(await made(owner, { filters: { query, status: 'open' } }));
    const byId = await made(agent.api, { filters: { contact_id: visitor.contactId } });
    const socket = await world.agentSocket(agent);
    expect((await owner.delete(`/v1/contacts/${visitor.contactId}`)).status).toBe(200);
    const seen = await list(owner);
    expect(seen.map(({ filters }) => (filters as Json).query)).toEqual([
      null,
      null,
      null,
      'heart.example',
      'zap',
      'Vera',
    ]);
    expect((await list(agent.api))[0]?.filters).toEqual({ contact_id: null });
    expect((await countsOf(agent.api))[byId.id as string]).toBe(0);
    expect((await countsOf(owner))[views[0]?.id as string]).toBe(0);
    expect((await socket.next('view.updated')).data).toMatchObject({ id: byId.id });
    const kept = await owner.patch(`${PATH}/${views[0]?.id as string}`, { filters: seen[0]?.filters as object });
    expect(kept.data.filters).toEqual({ query: null, status: 'open' });
    await socket.close();
  });

  it('A view of a merged contact shows the conversations of the remaining one.', async () => {
    const [from, into] = [await person(), await person()];
    await world.conversation(from);
    const view = await made(owner, { filters: { contact_id: from.contactId } });
    await owner.post(`/v1/contacts/${into.contactId}/merge`, { from_id: from.contactId });
    expect((await list(owner))[0]?.filters).toEqual({ contact_id: into.contactId });
    expect((await countsOf(owner))[view.id as string]).toBe(1);
  });
});
