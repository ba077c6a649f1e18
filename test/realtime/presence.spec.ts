import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { topics } from '../../src/modules/realtime/topics.js';
import { PresenceStore } from '../../src/platform/presence/presence-store.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import { eventually } from '../support/eventually.js';
import type { TestSocket } from '../support/socket.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const MEMBERS = '/v1/workspace/members';
const GRACE_MS = 1_000;

let world: World;
let desk: Desk;
let inbox: TestSocket;
beforeAll(async () => {
  // The ping interval is shorter than the time to live, so that connected sockets do not expire.
  const times = { WS_PRESENCE_GRACE_MS: String(GRACE_MS), WS_PRESENCE_TTL_MS: '3000', WS_PING_INTERVAL_MS: '300' };
  world = await World.start(times);
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  inbox = await world.agentSocket(desk.owner);
});

const presences = (socket: TestSocket, id: string) =>
  socket.of('presence.updated').filter(({ data }) => data.subject_id === id);
const statuses = (socket: TestSocket, id: string) => presences(socket, id).map(({ data }) => data.status as string);
/** Waits for `count` presence frames about the subject. @returns their statuses */
async function receivedStatuses(socket: TestSocket, id: string, count: number): Promise<string[]> {
  await socket.next('presence.updated', () => presences(socket, id).length >= count);
  return statuses(socket, id);
}
const untilPresent = (id: string, at: Desk = desk) =>
  eventually(
    () => world.app.app.get(PresenceStore).findMetadata(`members:${at.workspaceId}`, id) !== undefined || undefined,
  );
const memberOf = async (id: string, at: Desk = desk) => (await at.owner.api.get(`${MEMBERS}/${id}`)).data;
const setAvailability = (agent: Agent, availability: string) => agent.api.patch(`${MEMBERS}/me`, { availability });
/** Creates a conversation and assigns it to the agent. @returns its id */
async function assignedConversation(visitor: Visitor, agent: Agent): Promise<string> {
  const { id } = await world.conversation(visitor);
  await agent.api.post(`/v1/conversations/${id}/take`);
  return id as string;
}

describe('Presence of a member', () => {
  it('A member goes online with its first socket and offline some time after its last; agents receive both', async () => {
    const agent = await world.colleague(desk);
    expect((await memberOf(agent.memberId)).availability).toBe('offline');
    const [first, second] = [await world.agentSocket(agent), await world.agentSocket(agent)];
    const { data } = await inbox.next('presence.updated', frame => frame.data.subject_id === agent.memberId);
    expect(data).toEqual({
      subject_type: 'member',
      subject_id: agent.memberId,
      status: 'online',
      last_seen_at: expect.stringMatching(/Z$/),
    });
    expect((await memberOf(agent.memberId)).availability).toBe('online');
    await first.close();
    await second.close();
    const closedAt = performance.now();
    expect(await receivedStatuses(inbox, agent.memberId, 2)).toEqual(['online', 'offline']);
    expect(performance.now() - closedAt).toBeGreaterThan(GRACE_MS * 0.7);
    expect((await memberOf(agent.memberId)).availability).toBe('offline');
  });

  it('A member who reloads the page stays online', async () => {
    const agent = await world.colleague(desk);
    let socket = await world.agentSocket(agent);
    await receivedStatuses(inbox, agent.memberId, 1);
    for (let reload = 0; reload < 3; reload += 1) {
      await socket.close();
      socket = await world.agentSocket(agent);
    }
    const other = await world.colleague(desk);
    await (await world.agentSocket(other)).close();
    expect(await receivedStatuses(inbox, other.memberId, 2)).toEqual(['online', 'offline']);
    expect(statuses(inbox, agent.memberId)).toEqual(['online']);
  });

  it('A member has the availability it has set while connected, and is offline otherwise', async () => {
    const agent = await world.colleague(desk);
    expect((await setAvailability(agent, 'away')).data.availability).toBe('away');
    expect((await memberOf(agent.memberId)).availability).toBe('offline');
    expect(statuses(inbox, agent.memberId)).toEqual([]);
    expect((await inbox.next('member.updated')).data.availability).toBe('offline');
    const socket = await world.agentSocket(agent);
    expect(await receivedStatuses(inbox, agent.memberId, 1)).toEqual(['away']);
    await setAvailability(agent, 'offline');
    await setAvailability(agent, 'online');
    expect(await receivedStatuses(inbox, agent.memberId, 3)).toEqual(['away', 'offline', 'online']);
    expect((await memberOf(agent.memberId)).availability).toBe('online');
    const updates = inbox.of('member.updated').map(({ data }) => data.availability as string);
    expect(updates).toEqual(['offline', 'offline', 'online']);
    await socket.close();
  });

  it('Going online and offline records no event in the log', async () => {
    const agent = await world.colleague(desk);
    await (await world.agentSocket(agent)).close();
    await receivedStatuses(inbox, agent.memberId, 2);
    const events = await world.app.database.query<{ type: string }>(
      'SELECT type FROM event WHERE workspace_id = $1 AND (type = $2 OR type LIKE $3)',
      [desk.workspaceId, 'member.updated', 'presence%'],
    );
    expect(events).toEqual([]);
  });

  it('A deactivated member is offline at once; once reactivated and connected it is online again', async () => {
    const agent = await world.colleague(desk);
    await world.agentSocket(agent);
    await receivedStatuses(inbox, agent.memberId, 1);
    await desk.owner.api.post(`${MEMBERS}/${agent.memberId}/deactivate`);
    expect(await receivedStatuses(inbox, agent.memberId, 2)).toEqual(['online', 'offline']);
    await desk.owner.api.post(`${MEMBERS}/${agent.memberId}/reactivate`);
    expect((await memberOf(agent.memberId)).availability).toBe('offline');
    const { data } = await world.anyone.post('/v1/auth/login', {
      email: agent.email,
      password: 'correct horse battery',
    });
    await world.agentSocket(world.agentOf(data, agent.email));
    expect(await receivedStatuses(inbox, agent.memberId, 3)).toEqual(['online', 'offline', 'online']);
  });

  it('A member receives no presence of itself and none of other workspaces', async () => {
    const elsewhere = await world.desk();
    const foreign = await world.agentSocket(elsewhere.owner);
    const agent = await world.colleague(desk);
    const ownSocket = await world.agentSocket(agent);
    await receivedStatuses(inbox, agent.memberId, 1);
    await ownSocket.settled();
    await foreign.settled();
    expect(statuses(ownSocket, agent.memberId)).toEqual([]);
    expect(foreign.of('presence.updated')).toEqual([]);
  });

  it('The widget of a channel says online while an agent with access to the channel is available', async () => {
    const online = async (widgetToken: string) => {
      const path = `/v1/widget/config?widget_token=${widgetToken}`;
      return (await world.anyone.get(path)).data.widget_config.availability.online as boolean;
    };
    const other = await world.desk();
    const shop = await world.channel(other);
    expect(await online(other.widgetToken)).toBe(false);
    const agent = await world.colleague(other, { channel_ids: [shop.id] });
    const socket = await world.agentSocket(agent);
    await untilPresent(agent.memberId, other);
    expect([await online(other.widgetToken), await online(shop.widget_token)]).toEqual([false, true]);
    await setAvailability(agent, 'away');
    await eventually(async () => !(await online(shop.widget_token)) || undefined);
    await socket.close();
  });
});

describe('Presence of a contact', () => {
  it('Presence of a contact is sent to agents who may see one of its channels, and to no others', async () => {
    const shop = await world.channel(desk);
    const inside = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] }));
    const outside = await world.agentSocket(await world.colleague(desk, { channel_ids: [] }));
    const visitor = await world.visitor({ widgetToken: shop.widget_token });
    const page = await world.visitorSocket(visitor);
    for (const socket of [inbox, inside])
      expect(await receivedStatuses(socket, visitor.contactId, 1)).toEqual(['online']);
    expect((await desk.owner.api.get(`/v1/contacts/${visitor.contactId}`)).data.presence).toBe('online');
    await page.close();
    for (const socket of [inbox, inside])
      expect(await receivedStatuses(socket, visitor.contactId, 2)).toEqual(['online', 'offline']);
    expect((await desk.owner.api.get(`/v1/contacts/${visitor.contactId}`)).data.presence).toBe('offline');
    await outside.settled();
    expect(statuses(outside, visitor.contactId)).toEqual([]);
  });

  it('A conversation created with a contact makes its presence visible to the agents of that channel', async () => {
    const shop = await world.channel(desk);
    const agent = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] }));
    const visitor = await world.visitor(desk);
    const page = await world.visitorSocket(visitor);
    await receivedStatuses(inbox, visitor.contactId, 1);
    await desk.owner.api.post('/v1/conversations', { contact_id: visitor.contactId, channel_id: shop.id });
    expect(await receivedStatuses(agent, visitor.contactId, 1)).toEqual(['online']);
    await page.close();
    expect(await receivedStatuses(agent, visitor.contactId, 2)).toEqual(['online', 'offline']);
    expect(await receivedStatuses(inbox, visitor.contactId, 2)).toEqual(['online', 'offline']);
  });
});

describe('The presence snapshot of a new socket', () => {
  it('A new inbox socket receives the presence of members and of the contacts it may see', async () => {
    const shop = await world.channel(desk);
    const [here, there] = [await world.visitor(desk), await world.visitor({ widgetToken: shop.widget_token })];
    await world.visitorSocket(here);
    await world.visitorSocket(there);
    const away = await world.colleague(desk);
    await setAvailability(away, 'away');
    await world.agentSocket(away);
    const hidden = await world.colleague(desk);
    await setAvailability(hidden, 'offline');
    await world.agentSocket(hidden);
    for (const { contactId } of [here, there]) await receivedStatuses(inbox, contactId, 1);
    await receivedStatuses(inbox, away.memberId, 1);
    await untilPresent(hidden.memberId);
    const late = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] }));
    await late.settled();
    const statusById = late.of('presence.updated').map(({ data }) => [data.subject_id, data.status] as string[]);
    expect(new Map(statusById as [string, string][])).toEqual(
      new Map([
        [desk.owner.memberId, 'online'],
        [away.memberId, 'away'],
        [there.contactId, 'online'],
      ]),
    );
  });

  it('A resumed socket receives the presence snapshot after missed events; a conversation’s socket receives none', async () => {
    const visitor = await world.visitor(desk);
    const { id } = await world.conversation(visitor);
    const agent = await world.colleague(desk);
    const first = await world.agentSocket(agent);
    const after = first.frames[0]?.data.cursor as string;
    const again = await world.agentSocket(agent, { after });
    await again.next('presence.updated');
    const types = again.frames.map(({ type }) => type);
    expect(types.indexOf('resumed')).toBeLessThan(types.indexOf('presence.updated'));
    const room = await world.agentSocket(agent, { room: id });
    await room.settled();
    expect(room.of('presence.updated')).toEqual([]);
  });
});

describe('Presence that a visitor receives', () => {
  it('A visitor receives the presence of its assigned agent only, without last_seen_at', async () => {
    const [agent, other] = [await world.colleague(desk), await world.colleague(desk)];
    const visitor = await world.visitor(desk);
    const id = await assignedConversation(visitor, agent);
    const [page, conv] = [await world.visitorSocket(visitor), await world.visitorSocket(visitor, { conv: id })];
    for (const socket of [page, conv]) expect(await receivedStatuses(socket, agent.memberId, 1)).toEqual(['offline']);
    const sockets = [await world.agentSocket(agent), await world.agentSocket(other)];
    for (const socket of [page, conv])
      expect(await receivedStatuses(socket, agent.memberId, 2)).toEqual(['offline', 'online']);
    await setAvailability(agent, 'away');
    for (const socket of [page, conv]) {
      expect(await receivedStatuses(socket, agent.memberId, 3)).toEqual(['offline', 'online', 'away']);
      expect(socket.of('presence.updated').map(({ data }) => data.last_seen_at as unknown)).toEqual([null, null, null]);
    }
    for (const socket of sockets) await socket.close();
  });

  it('A visitor receives the presence of the new agent after a reassignment, and none after resolution', async () => {
    const [agent, next] = [await world.colleague(desk), await world.colleague(desk)];
    const visitor = await world.visitor(desk);
    const id = await assignedConversation(visitor, agent);
    const page = await world.visitorSocket(visitor);
    await world.agentSocket(next);
    await receivedStatuses(page, agent.memberId, 1);
    await untilPresent(next.memberId);
    await desk.owner.api.post(`/v1/conversations/${id}/assign`, { member_id: next.memberId });
    expect(await receivedStatuses(page, next.memberId, 1)).toEqual(['online']);
    const former = await world.agentSocket(agent);
    await receivedStatuses(inbox, agent.memberId, 1);
    await page.settled();
    expect(statuses(page, agent.memberId)).toEqual(['offline']);
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    const hub = world.app.app.get(SocketHub);
    await eventually(() => !hub.hasSubscribers(topics.servedBy(next.memberId)) || undefined);
    await setAvailability(next, 'away');
    await setAvailability(agent, 'away');
    expect(await receivedStatuses(inbox, agent.memberId, 2)).toEqual(['online', 'away']);
    await page.settled();
    expect([statuses(page, agent.memberId), statuses(page, next.memberId)]).toEqual([['offline'], ['online']]);
    await former.close();
  });
});

describe('The last_seen_at of members and contacts', () => {
  it('`last_seen_at` of members and contacts is updated while they are connected and after they leave', async () => {
    const agent = await world.colleague(desk);
    const visitor = await world.visitor(desk);
    const before = (await desk.owner.api.get(`/v1/contacts/${visitor.contactId}`)).data.last_seen_at as string;
    const sockets = [await world.agentSocket(agent), await world.visitorSocket(visitor)];
    const seen = async () => [
      (await memberOf(agent.memberId)).last_seen_at as string | null,
      (await desk.owner.api.get(`/v1/contacts/${visitor.contactId}`)).data.last_seen_at as string,
    ];
    const [member, contact] = await eventually(async () => {
      const [first, second] = await seen();
      return first && second && second > before ? [first, second] : undefined;
    }, 10_000);
    for (const socket of sockets) {
      await socket.settled();
      await socket.close();
    }
    await eventually(async () => {
      const [first, second] = await seen();
      return ((first ?? '') > (member ?? '') && (second ?? '') > (contact ?? '')) || undefined;
    }, 15_000);
  });
});
