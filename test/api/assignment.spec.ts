import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AssignmentRequestsRepository } from '../../src/modules/assignment/assignment-requests.repository.js';
import { countWrongLoads, strayAssignmentRows } from '../support/assignments.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import type { TestSocket } from '../support/socket.js';
import type { Agent, Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

const MINUTE = 60;
/** Ten times the second that an assignment may take, for a busy machine. */
const SOON_MS = 45_000;
/** A sweep begins when no transaction of any spec file in the cluster is older. */
const SWEPT_MS = 20_000;

let world: World;
let desk: Desk;
let key: Caller;
let sockets: TestSocket[];
beforeAll(async () => {
  world = await World.start({ WS_PRESENCE_GRACE_MS: '100' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  sockets = [];
  desk = await world.desk();
  key = await world.apiKey(desk);
  await route('round_robin');
});
afterEach(async () => {
  world.app.clock.reset();
  await Promise.all(sockets.map(socket => socket.close()));
  expect(await countWrongLoads(world)).toBe(0);
  await eventually(
    async () => (await strayAssignmentRows(world.app.database)).length === 0 || undefined,
    SOON_MS,
    () => strayAssignmentRows(world.app.database),
  );
});

const route = (mode: string, more: object = {}, channelId = desk.channelId) =>
  key.patch(`/v1/channels/${channelId}`, { routing: { mode, ...more } });
const connect = async (agent: Agent): Promise<TestSocket> => {
  const socket = await world.agentSocket(agent);
  sockets.push(socket);
  return socket;
};
const disconnect = async (agent: Agent, socket: TestSocket): Promise<void> => {
  await socket.close();
  const shown = async () => (await key.get(`/v1/workspace/members/${agent.memberId}`)).data.availability as string;
  await eventually(async () => (await shown()) === 'offline' || undefined);
};
const colleague = async (capacity = 10, options: object = {}): Promise<Agent> => {
  const agent = await world.colleague(desk, options);
  await setCapacity(agent, capacity);
  return agent;
};
/** A key may not change an owner. */
const setCapacity = (agent: Agent, capacity: number) =>
  desk.owner.api.patch(`/v1/workspace/members/${agent.memberId}`, { capacity });
const open = async (widget: { widgetToken: string } = desk): Promise<string> =>
  (await world.conversation(await world.visitor(widget))).id as string;
const act = (id: string, action: string, body: object = {}, by: Caller = key) =>
  by.post(`/v1/conversations/${id}/${action}`, body);
const read = async (id: string): Promise<Json> => (await key.get(`/v1/conversations/${id}`)).data as Json;
const assigneeOf = async (id: string) => (await read(id)).assignee_id as string | null;
const timeline = async (id: string): Promise<Json[]> => {
  const { items } = (await key.get(`/v1/conversations/${id}/messages`)).data as { items: Json[] };
  return items
    .filter(({ content_type }) => content_type === 'event')
    .map(({ metadata, private: isPrivate }) => ({ ...(metadata as object), private: isPrivate as boolean }));
};
const assigned = (id: string, agent: Agent) =>
  eventually(
    async () => (await assigneeOf(id)) === agent.memberId || undefined,
    SOON_MS,
    () => read(id),
  );
/** Waits as long as an assignment may take, and shows that there was none. */
const staysUnassigned = async (id: string) => {
  await new Promise(resolve => setTimeout(resolve, 1_300));
  expect(await assigneeOf(id)).toBeNull();
};

describe('The routing of a channel', () => {
  const routing = async () => (await key.get(`/v1/channels/${desk.channelId}`)).data.routing as object;

  it('A change of one routing setting leaves the others as they are, and null clears the minutes.', async () => {
    expect(await routing()).toEqual({ mode: 'round_robin', bot_id: null, reassign_after_minutes: null });
    await key.patch(`/v1/channels/${desk.channelId}`, { routing: { reassign_after_minutes: 15 } });
    await route('least_loaded');
    expect(await routing()).toEqual({ mode: 'least_loaded', bot_id: null, reassign_after_minutes: 15 });
    await key.patch(`/v1/channels/${desk.channelId}`, { routing: { reassign_after_minutes: null } });
    expect(await routing()).toEqual({ mode: 'least_loaded', bot_id: null, reassign_after_minutes: null });
  });

  it.each([0, 10_081, 1.5, '5'])('Minutes of %p are refused (400).', async minutes => {
    const refused = await key.patch(`/v1/channels/${desk.channelId}`, { routing: { reassign_after_minutes: minutes } });
    expect([refused.status, refused.error.details?.[0]?.field]).toEqual([400, 'routing.reassign_after_minutes']);
  });

  it('A new channel takes its routing, but no null (400).', async () => {
    const made = await key.post('/v1/channels', {
      name: unique('Channel'),
      routing: { mode: 'least_loaded', reassign_after_minutes: 5 },
    });
    expect(made.data.routing).toEqual({ mode: 'least_loaded', bot_id: null, reassign_after_minutes: 5 });
    const refused = await key.post('/v1/channels', { name: 'x', routing: { reassign_after_minutes: null } });
    expect(refused.status).toBe(400);
  });
});

describe('A conversation that opens', () => {
  it('It is assigned to a free member by the service, with a private entry that names the reason.', async () => {
    await connect(desk.owner);
    const id = await open();
    await assigned(id, desk.owner);
    expect(await timeline(id)).toEqual([
      {
        event: 'assigned',
        reason: 'round_robin',
        actor: { type: 'system', id: null },
        assignee_id: desk.owner.memberId,
        private: true,
      },
    ]);
  });

  it('In a manual channel it waits for a person.', async () => {
    await route('manual');
    await connect(desk.owner);
    await staysUnassigned(await open());
  });

  it('One that an agent begins is assigned too.', async () => {
    await connect(desk.owner);
    const visitor = await world.visitor(desk);
    const made = await key.post('/v1/conversations', { contact_id: visitor.contactId, channel_id: desk.channelId });
    await assigned(made.data.id as string, desk.owner);
  });

  it('With round_robin each goes to the member who got one of this channel longest ago.', async () => {
    const agents = [desk.owner, await colleague(), await colleague()];
    for (const agent of agents) await connect(agent);
    const got: (string | null)[] = [];
    for (let count = 0; count < 6; count += 1) {
      const id = await open();
      got.push(await eventually(async () => (await assigneeOf(id)) ?? undefined, SOON_MS));
    }
    expect(new Set(got.slice(0, 3))).toEqual(new Set(agents.map(({ memberId }) => memberId)));
    expect(got.slice(3)).toEqual(got.slice(0, 3));
  });

  it('With least_loaded it goes to the member with the fewest open ones in all channels, then longest ago.', async () => {
    await route('least_loaded');
    const other = await world.channel(desk);
    const busy = await colleague();
    const idle = await colleague();
    for (const agent of [busy, idle]) await connect(agent);
    for (let count = 0; count < 2; count += 1) {
      const id = await open({ widgetToken: other.widget_token as string });
      await act(id, 'assign', { member_id: busy.memberId });
    }
    const [first, second] = [await open(), await open()];
    await assigned(first, idle);
    await assigned(second, idle);
    expect((await timeline(first)).at(-1)).toMatchObject({ reason: 'least_loaded' });
    // both have two open ones now; the busy one never got one of this channel
    await assigned(await open(), busy);
  });

  it.each(['away', 'offline'])('A member who has set itself %s gets none.', async availability => {
    await connect(desk.owner);
    await desk.owner.api.patch('/v1/workspace/members/me', { availability });
    await staysUnassigned(await open());
  });

  it('A member who is not connected gets none.', async () => {
    await staysUnassigned(await open());
  });

  it('A member who does not see the channel gets none.', async () => {
    const other = await world.channel(desk);
    await connect(await colleague(10, { channel_ids: [other.id] }));
    await staysUnassigned(await open());
  });

  it('A capacity of 0 means never.', async () => {
    await setCapacity(desk.owner, 0);
    await connect(desk.owner);
    await staysUnassigned(await open());
  });

  it('A capacity counts the open conversations of all channels; people may pass it, the service does not.', async () => {
    const other = await world.channel(desk, { routing: { mode: 'manual' } });
    await setCapacity(desk.owner, 2);
    await connect(desk.owner);
    await act(await open({ widgetToken: other.widget_token as string }), 'take', {}, desk.owner.api);
    await assigned(await open(), desk.owner);
    const third = await open();
    await staysUnassigned(third);
    await act(third, 'take', {}, desk.owner.api);
    expect(await assigneeOf(third)).toBe(desk.owner.memberId);
    expect((await timeline(third)).at(-1)).toMatchObject({ event: 'assigned', reason: 'taken' });
    const fourth = await open();
    await act(fourth, 'assign', { member_id: desk.owner.memberId });
    expect(await assigneeOf(fourth)).toBe(desk.owner.memberId);
  });
});

describe('Whoever becomes free', () => {
  it('It takes by priority, then by how long the contact has waited, then by age.', async () => {
    await setCapacity(desk.owner, 1);
    await connect(desk.owner);
    const current = await open();
    await assigned(current, desk.owner);
    const answered = await open();
    await key.post(`/v1/conversations/${answered}/messages`, {
      content: 'We are on it.',
      member_id: desk.owner.memberId,
    });
    const [older, newer, urgent] = [await open(), await open(), await open()];
    await key.patch(`/v1/conversations/${urgent}`, { priority: 'urgent' });
    let last = current;
    for (const next of [urgent, older, newer, answered]) {
      await act(last, 'resolve');
      await assigned(next, desk.owner);
      last = next;
    }
  });

  it("A contact's first message in a conversation that an agent began gives it its place in the order.", async () => {
    const visitor = await world.visitor(desk);
    const begun = await key.post('/v1/conversations', { contact_id: visitor.contactId, channel_id: desk.channelId });
    const first = begun.data.id as string;
    await visitor.api.post(`/v1/widget/conversations/${first}/messages`, { content: 'Hello?' });
    const second = await open();
    await setCapacity(desk.owner, 1);
    await connect(desk.owner);
    await assigned(first, desk.owner);
    expect(await assigneeOf(second)).toBeNull();
  });

  const ways: Record<string, (agent: Agent, current: string) => Promise<unknown>> = {
    'resolves a conversation': (agent, current) => act(current, 'resolve', {}, agent.api),
    'snoozes a conversation': (agent, current) => act(current, 'snooze', {}, agent.api),
    'hands a conversation to a colleague': (_agent, current) =>
      act(current, 'assign', { member_id: desk.owner.memberId }),
    'is given a larger capacity': agent => setCapacity(agent, 2),
  };
  it.each(Object.keys(ways))('A member who %s gets one that waits.', async way => {
    const agent = await colleague(1);
    await connect(agent);
    const current = await open();
    await assigned(current, agent);
    const waiting = await open();
    await staysUnassigned(waiting);
    await ways[way]?.(agent, current);
    await assigned(waiting, agent);
  });

  it('A member who unassigns a conversation gets the one that has waited longer.', async () => {
    const agent = await colleague(1);
    const [first, second] = [await open(), await open()];
    await act(second, 'take', {}, agent.api);
    await connect(agent);
    await act(second, 'assign', { member_id: null });
    await assigned(first, agent);
    expect(await assigneeOf(second)).toBeNull();
  });

  it('A member who connects, or sets itself online, gets one that waits.', async () => {
    const first = await open();
    await connect(desk.owner);
    await assigned(first, desk.owner);
    await desk.owner.api.patch('/v1/workspace/members/me', { availability: 'away' });
    const second = await open();
    await desk.owner.api.patch('/v1/workspace/members/me', { availability: 'online' });
    await assigned(second, desk.owner);
  });

  it('A member whose scope widens, or who is reactivated, gets one that waits.', async () => {
    const other = await world.channel(desk);
    const agent = await world.hire(desk, { channel_ids: [other.id as string] });
    const id = await open();
    await connect(agent);
    await key.patch(`/v1/workspace/members/${agent.memberId}`, { channel_ids: null });
    await assigned(id, agent);
    await key.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    expect(await assigneeOf(id)).toBeNull();
    await key.post(`/v1/workspace/members/${agent.memberId}/reactivate`);
    const session = await world.anyone.post('/v1/auth/login', {
      email: agent.email,
      password: 'correct horse battery',
    });
    await connect(world.agentOf(session.data, agent.email));
    await assigned(id, agent);
  });
});

describe('A conversation that loses its assignee', () => {
  it('An agent who hands it off does not get it again, not even when nobody else is free.', async () => {
    await connect(desk.owner);
    const id = await open();
    await assigned(id, desk.owner);
    await act(id, 'handoff', { reason: 'needs_refund' }, desk.owner.api);
    await staysUnassigned(id);
    const agent = await colleague();
    await connect(agent);
    await assigned(id, agent);
  });

  it('A deactivated member loses its conversations to others, with the reason.', async () => {
    const agent = await colleague();
    await connect(agent);
    const id = await open();
    await assigned(id, agent);
    await connect(desk.owner);
    await key.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    await assigned(id, desk.owner);
    expect((await timeline(id)).slice(-2)).toMatchObject([
      { event: 'unassigned', reason: 'member_deactivated', private: true },
      { event: 'assigned', reason: 'round_robin' },
    ]);
  });

  it('A member whose scope narrows loses the conversations that it no longer sees, with the reason.', async () => {
    const agent = await colleague();
    await connect(agent);
    const id = await open();
    await assigned(id, agent);
    await connect(desk.owner);
    await key.patch(`/v1/workspace/members/${agent.memberId}`, { channel_ids: [] });
    await assigned(id, desk.owner);
    expect((await timeline(id)).at(-2)).toMatchObject({ event: 'unassigned', reason: 'scope_changed' });
  });
});

describe('A conversation that is reopened or woken', () => {
  const resolve = (id: string) => act(id, 'resolve');
  const begin = async (agent: Agent) => {
    const visitor = await world.visitor(desk);
    const id = (await world.conversation(visitor)).id as string;
    await assigned(id, agent);
    return { id, write: () => visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Hello?' }) };
  };
  type Begun = Awaited<ReturnType<typeof begin>>;
  const ways: [string, string, (begun: Begun) => Promise<unknown>][] = [
    ['reopened by an agent', 'resolve', ({ id }) => act(id, 'reopen')],
    ['reopened by its contact', 'resolve', ({ write }) => write()],
    ['woken by its contact', 'snooze', ({ write }) => write()],
    ['woken by an agent', 'snooze', ({ id }) => act(id, 'wake')],
  ];

  it.each(ways)('One that is %s stays with an assignee who is free.', async (_way, leave, comeBack) => {
    const agent = await colleague(1);
    await connect(agent);
    const begun = await begin(agent);
    await act(begun.id, leave);
    await connect(desk.owner);
    await comeBack(begun);
    await new Promise(done => setTimeout(done, 1_300));
    expect(await assigneeOf(begun.id)).toBe(agent.memberId);
  });

  it.each(ways)('One that is %s moves from an assignee who is not free to another.', async (_way, leave, comeBack) => {
    const agent = await colleague();
    await connect(agent);
    const begun = await begin(agent);
    await act(begun.id, leave);
    await connect(desk.owner);
    await agent.api.patch('/v1/workspace/members/me', { availability: 'away' });
    await comeBack(begun);
    await assigned(begun.id, desk.owner);
    expect((await timeline(begun.id)).at(-1)).toMatchObject({ event: 'assigned', reason: 'round_robin' });
  });

  it('One whose snooze ends stays with its assignee, and moves if that one has as many others as its capacity.', async () => {
    const agent = await colleague(1);
    await connect(agent);
    const { id } = await begin(agent);
    const until = () => new Date(world.app.clock.now().getTime() + 5 * MINUTE * 1_000).toISOString();
    await act(id, 'snooze', { until: until() });
    world.app.clock.advance(5 * MINUTE + 1);
    await eventually(async () => (await read(id)).status === 'open' || undefined, SOON_MS);
    expect(await assigneeOf(id)).toBe(agent.memberId);
    await act(id, 'snooze', { until: until() });
    await begin(agent);
    await connect(desk.owner);
    world.app.clock.advance(5 * MINUTE + 1);
    await assigned(id, desk.owner);
  });

  it('While nobody else is free it stays, also when somebody becomes free later.', async () => {
    const agent = await colleague();
    const socket = await connect(agent);
    const id = await open();
    await assigned(id, agent);
    await resolve(id);
    await disconnect(agent, socket);
    await act(id, 'reopen');
    await new Promise(done => setTimeout(done, 3_500));
    await connect(desk.owner);
    await new Promise(done => setTimeout(done, 1_300));
    expect(await assigneeOf(id)).toBe(agent.memberId);
  });

  it('A resolve that is taken back leaves it with its assignee.', async () => {
    const agent = await colleague();
    await connect(agent);
    const id = await open();
    await assigned(id, agent);
    await act(id, 'resolve', {}, agent.api);
    await agent.api.patch('/v1/workspace/members/me', { availability: 'away' });
    await connect(desk.owner);
    await act(id, 'reopen', {}, agent.api);
    await new Promise(done => setTimeout(done, 1_300));
    expect(await assigneeOf(id)).toBe(agent.memberId);
  });
});

/** Adds open conversations like the given one. */
const copy = (id: string, count: number) =>
  world.app.database.query(
    `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at)
     SELECT workspace_id, gen_random_uuid(), 1000 + n, channel_id, contact_id, 'open', false, clock_timestamp()
     FROM conversation, generate_series(1, $2) AS n WHERE id = $1`,
    [id, count],
  );
const waitingCount = async (): Promise<number> => {
  const [row] = await world.app.database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM assignment_request WHERE workspace_id = $1',
    [desk.workspaceId],
  );
  return row?.count ?? 0;
};

describe('A queue of conversations', () => {
  it('Two thousand waiting conversations of one workspace do not delay the assignment in another.', async () => {
    await route('manual');
    await copy(await open(), 2_000);
    await setCapacity(desk.owner, 1_000);
    await connect(desk.owner);
    await route('round_robin');
    await eventually(async () => (await waitingCount()) > 1_000 || undefined, SWEPT_MS);
    const other = await world.desk();
    await other.owner.api.patch(`/v1/channels/${other.channelId}`, { routing: { mode: 'round_robin' } });
    sockets.push(await world.agentSocket(other.owner));
    const id = await open(other);
    await eventually(async () => {
      const { assignee_id: assigneeId } = (await other.owner.api.get(`/v1/conversations/${id}`)).data as Json;
      return assigneeId === other.owner.memberId || undefined;
    }, SOON_MS);
    expect(await waitingCount()).toBeGreaterThan(500);
    await setCapacity(desk.owner, 0);
  });

  it('While nobody is free, the service looks about once a second and not more often.', async () => {
    await setCapacity(desk.owner, 1);
    await connect(desk.owner);
    await assigned(await open(), desk.owner);
    await open();
    await new Promise(done => setTimeout(done, 300));
    const looks = jest.spyOn(world.app.app.get(AssignmentRequestsRepository, { strict: false }), 'findNext');
    await new Promise(done => setTimeout(done, 3_000));
    expect(looks.mock.calls.length).toBeGreaterThan(0);
    expect(looks.mock.calls.length).toBeLessThan(6);
  });
});

describe('A change of routing', () => {
  it('Open conversations are assigned when the channel begins to assign, also more than fit in one slice.', async () => {
    await route('manual');
    const id = await open();
    await copy(id, 250);
    await setCapacity(desk.owner, 1);
    await connect(desk.owner);
    await route('round_robin');
    await eventually(async () => (await waitingCount()) === 250 || undefined, SWEPT_MS);
    await route('manual');
    await eventually(async () => (await strayAssignmentRows(world.app.database)).length === 0 || undefined, SWEPT_MS);
  });

  it('A conversation in a deleted channel is assigned no more.', async () => {
    const id = await open();
    await key.delete(`/v1/channels/${desk.channelId}`);
    await connect(desk.owner);
    await staysUnassigned(id);
  });
});

describe('An assignee who is offline', () => {
  const write = async () => {
    const visitor = await world.visitor(desk);
    return (await world.conversation(visitor)).id as string;
  };
  const longAfter = () => world.app.clock.advance(20 * MINUTE);

  it('After the minutes of the channel it loses a conversation whose contact waits, which others get.', async () => {
    await route('round_robin', { reassign_after_minutes: 15 });
    const agent = await colleague();
    const socket = await connect(agent);
    const id = await write();
    await assigned(id, agent);
    await disconnect(agent, socket);
    world.app.clock.advance(14 * MINUTE);
    await new Promise(done => setTimeout(done, 1_300));
    expect(await assigneeOf(id)).toBe(agent.memberId);
    longAfter();
    await eventually(async () => (await assigneeOf(id)) === null || undefined, SOON_MS);
    expect((await timeline(id)).at(-1)).toMatchObject({
      event: 'unassigned',
      reason: 'assignee_offline',
      actor: { type: 'system', id: null },
      private: true,
    });
    world.app.clock.reset();
    await connect(desk.owner);
    await assigned(id, desk.owner);
  });

  it('It keeps a conversation whose contact does not wait.', async () => {
    await route('manual', { reassign_after_minutes: 5 });
    const id = await write();
    await act(id, 'take', {}, desk.owner.api);
    await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'Here you are.' });
    longAfter();
    await new Promise(done => setTimeout(done, 1_300));
    expect(await assigneeOf(id)).toBe(desk.owner.memberId);
  });

  it('A connected assignee keeps its conversations, one that has set itself offline loses them.', async () => {
    await route('manual', { reassign_after_minutes: 5 });
    const id = await write();
    await act(id, 'take', {}, desk.owner.api);
    await connect(desk.owner);
    // before the token ends
    world.app.clock.advance(10 * MINUTE);
    await new Promise(done => setTimeout(done, 1_300));
    expect(await assigneeOf(id)).toBe(desk.owner.memberId);
    await desk.owner.api.patch('/v1/workspace/members/me', { availability: 'offline' });
    longAfter();
    await eventually(async () => (await assigneeOf(id)) === null || undefined, SOON_MS);
  });

  it('Without minutes it keeps them for any time; minutes that are set later apply to open conversations.', async () => {
    await route('manual');
    const id = await write();
    await act(id, 'take', {}, desk.owner.api);
    longAfter();
    await new Promise(done => setTimeout(done, 1_300));
    expect(await assigneeOf(id)).toBe(desk.owner.memberId);
    await route('manual', { reassign_after_minutes: 5 });
    await eventually(async () => (await strayAssignmentRows(world.app.database)).length === 0 || undefined, SWEPT_MS);
    longAfter();
    await eventually(async () => (await assigneeOf(id)) === null || undefined, SOON_MS);
  });
});

describe('A conversation that a bot serves', () => {
  it('It is taken over from the bot when it gets an assignee, so that none is assigned while pending.', async () => {
    await route('manual');
    const id = await open();
    await world.app.database.query(`UPDATE conversation SET status = 'pending', control = 'bot' WHERE id = $1`, [id]);
    const given = await act(id, 'assign', { member_id: desk.owner.memberId });
    expect(given.data).toMatchObject({ status: 'open', control: 'human', assignee_id: desk.owner.memberId });
  });
});
