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
  // pings in time: whoever is not heard within the time to live is not there
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
/** Until the socket has heard so many times of them; then how they were. */
async function heard(socket: TestSocket, id: string, count: number): Promise<string[]> {
  await socket.next('presence.updated', () => presences(socket, id).length >= count);
  return statuses(socket, id);
}
const isShown = (id: string, at: Desk = desk) =>
  eventually(
    () => world.app.app.get(PresenceStore).findMetadata(`members:${at.workspaceId}`, id) !== undefined || undefined,
  );
const memberOf = async (id: string, at: Desk = desk) => (await at.owner.api.get(`${MEMBERS}/${id}`)).data;
const setTo = (agent: Agent, availability: string) => agent.api.patch(`${MEMBERS}/me`, { availability });
/** A conversation of a visitor, taken by an agent. */
async function taken(visitor: Visitor, agent: Agent): Promise<string> {
  const { id } = await world.conversation(visitor);
  await agent.api.post(`/v1/conversations/${id}/take`);
  return id as string;
}

describe('a member', () => {
  it('is online with its first socket and offline a while after its last, and agents are told of both', async () => {
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
    expect(await heard(inbox, agent.memberId, 2)).toEqual(['online', 'offline']);
    expect(performance.now() - closedAt).toBeGreaterThan(GRACE_MS * 0.7);
    expect((await memberOf(agent.memberId)).availability).toBe('offline');
  });

  it('that loads its page again makes no flicker', async () => {
    const agent = await world.colleague(desk);
    let socket = await world.agentSocket(agent);
    await heard(inbox, agent.memberId, 1);
    for (let reload = 0; reload < 3; reload += 1) {
      await socket.close();
      socket = await world.agentSocket(agent);
    }
    const other = await world.colleague(desk);
    await (await world.agentSocket(other)).close();
    expect(await heard(inbox, other.memberId, 2)).toEqual(['online', 'offline']);
    expect(statuses(inbox, agent.memberId)).toEqual(['online']);
  });

  it('is shown as it has set itself while it is connected, and offline otherwise', async () => {
    const agent = await world.colleague(desk);
    expect((await setTo(agent, 'away')).data.availability).toBe('away');
    expect((await memberOf(agent.memberId)).availability).toBe('offline');
    expect(statuses(inbox, agent.memberId)).toEqual([]);
    expect((await inbox.next('member.updated')).data.availability).toBe('offline');
    const socket = await world.agentSocket(agent);
    expect(await heard(inbox, agent.memberId, 1)).toEqual(['away']);
    await setTo(agent, 'offline');
    await setTo(agent, 'online');
    expect(await heard(inbox, agent.memberId, 3)).toEqual(['away', 'offline', 'online']);
    expect((await memberOf(agent.memberId)).availability).toBe('online');
    const updates = inbox.of('member.updated').map(({ data }) => data.availability as string);
    expect(updates).toEqual(['offline', 'offline', 'online']);
    await socket.close();
  });

  it('leaves no event for coming and going', async () => {
    const agent = await world.colleague(desk);
    await (await world.agentSocket(agent)).close();
    await heard(inbox, agent.memberId, 2);
    const events = await world.app.database.query<{ type: string }>(
      'SELECT type FROM event WHERE workspace_id = $1 AND (type = $2 OR type LIKE $3)',
      [desk.workspaceId, 'member.updated', 'presence%'],
    );
    expect(events).toEqual([]);
  });

  it('that is deactivated is gone at once, and follows its presence again when it is back', async () => {
    const agent = await world.colleague(desk);
    await world.agentSocket(agent);
    await heard(inbox, agent.memberId, 1);
    await desk.owner.api.post(`${MEMBERS}/${agent.memberId}/deactivate`);
    expect(await heard(inbox, agent.memberId, 2)).toEqual(['online', 'offline']);
    await desk.owner.api.post(`${MEMBERS}/${agent.memberId}/reactivate`);
    expect((await memberOf(agent.memberId)).availability).toBe('offline');
    const { data } = await world.anyone.post('/v1/auth/login', {
      email: agent.email,
      password: 'correct horse battery',
    });
    await world.agentSocket(world.agentOf(data, agent.email));
    expect(await heard(inbox, agent.memberId, 3)).toEqual(['online', 'offline', 'online']);
  });

  it('hears of itself nothing, and of no other workspace anything', async () => {
    const elsewhere = await world.desk();
    const foreign = await world.agentSocket(elsewhere.owner);
    const agent = await world.colleague(desk);
    const own = await world.agentSocket(agent);
    await heard(inbox, agent.memberId, 1);
    await own.settled();
    await foreign.settled();
    expect(statuses(own, agent.memberId)).toEqual([]);
    expect(foreign.of('presence.updated')).toEqual([]);
  });

  it('is the reason that the widget says somebody is there, where it sees the channel', async () => {
    const online = async (widgetToken: string) => {
      const path = `/v1/widget/config?widget_token=${widgetToken}`;
      return (await world.anyone.get(path)).data.widget_config.availability.online as boolean;
    };
    const other = await world.desk();
    const shop = await world.channel(other);
    expect(await online(other.widgetToken)).toBe(false);
    const agent = await world.colleague(other, { channel_ids: [shop.id] });
    const socket = await world.agentSocket(agent);
    await isShown(agent.memberId, other);
    expect([await online(other.widgetToken), await online(shop.widget_token)]).toEqual([false, true]);
    await setTo(agent, 'away');
    await eventually(async () => !(await online(shop.widget_token)) || undefined);
    await socket.close();
  });
});

describe('a contact', () => {
  it('is told of to agents who may see it, by any of its channels, and to no others', async () => {
    const shop = await world.channel(desk);
    const inside = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] }));
    const outside = await world.agentSocket(await world.colleague(desk, { channel_ids: [] }));
    const visitor = await world.visitor({ widgetToken: shop.widget_token });
    const page = await world.visitorSocket(visitor);
    for (const socket of [inbox, inside]) expect(await heard(socket, visitor.contactId, 1)).toEqual(['online']);
    expect((await desk.owner.api.get(`/v1/contacts/${visitor.contactId}`)).data.presence).toBe('online');
    await page.close();
    for (const socket of [inbox, inside])
      expect(await heard(socket, visitor.contactId, 2)).toEqual(['online', 'offline']);
    expect((await desk.owner.api.get(`/v1/contacts/${visitor.contactId}`)).data.presence).toBe('offline');
    await outside.settled();
    expect(statuses(outside, visitor.contactId)).toEqual([]);
  });

  it('is told of to the agents of a channel in which somebody begins a conversation with it', async () => {
    const shop = await world.channel(desk);
    const agent = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] }));
    const visitor = await world.visitor(desk);
    const page = await world.visitorSocket(visitor);
    await heard(inbox, visitor.contactId, 1);
    await desk.owner.api.post('/v1/conversations', { contact_id: visitor.contactId, channel_id: shop.id });
    expect(await heard(agent, visitor.contactId, 1)).toEqual(['online']);
    await page.close();
    expect(await heard(agent, visitor.contactId, 2)).toEqual(['online', 'offline']);
    expect(await heard(inbox, visitor.contactId, 2)).toEqual(['online', 'offline']);
  });
});

describe('who connects', () => {
  it('is told who is there: an inbox of members and of the contacts that it may see', async () => {
    const shop = await world.channel(desk);
    const [here, there] = [await world.visitor(desk), await world.visitor({ widgetToken: shop.widget_token })];
    await world.visitorSocket(here);
    await world.visitorSocket(there);
    const away = await world.colleague(desk);
    await setTo(away, 'away');
    await world.agentSocket(away);
    const hidden = await world.colleague(desk);
    await setTo(hidden, 'offline');
    await world.agentSocket(hidden);
    for (const { contactId } of [here, there]) await heard(inbox, contactId, 1);
    await heard(inbox, away.memberId, 1);
    await isShown(hidden.memberId);
    const late = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] }));
    await late.settled();
    const told = late.of('presence.updated').map(({ data }) => [data.subject_id, data.status] as string[]);
    expect(new Map(told as [string, string][])).toEqual(
      new Map([
        [desk.owner.memberId, 'online'],
        [away.memberId, 'away'],
        [there.contactId, 'online'],
      ]),
    );
  });

  it('is told after what it has missed, and a room of one conversation of nobody', async () => {
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

describe('a visitor', () => {
  it('hears of the agent of its conversation alone: whether it is there, and nothing of when it was', async () => {
    const [agent, other] = [await world.colleague(desk), await world.colleague(desk)];
    const visitor = await world.visitor(desk);
    const id = await taken(visitor, agent);
    const [page, conv] = [await world.visitorSocket(visitor), await world.visitorSocket(visitor, { conv: id })];
    for (const socket of [page, conv]) expect(await heard(socket, agent.memberId, 1)).toEqual(['offline']);
    const sockets = [await world.agentSocket(agent), await world.agentSocket(other)];
    for (const socket of [page, conv]) expect(await heard(socket, agent.memberId, 2)).toEqual(['offline', 'online']);
    await setTo(agent, 'away');
    for (const socket of [page, conv]) {
      expect(await heard(socket, agent.memberId, 3)).toEqual(['offline', 'online', 'away']);
      expect(socket.of('presence.updated').map(({ data }) => data.last_seen_at as unknown)).toEqual([null, null, null]);
    }
    for (const socket of sockets) await socket.close();
  });

  it('hears of the next agent when the conversation changes hands, and of none when it is resolved', async () => {
    const [agent, next] = [await world.colleague(desk), await world.colleague(desk)];
    const visitor = await world.visitor(desk);
    const id = await taken(visitor, agent);
    const page = await world.visitorSocket(visitor);
    await world.agentSocket(next);
    await heard(page, agent.memberId, 1);
    await isShown(next.memberId);
    await desk.owner.api.post(`/v1/conversations/${id}/assign`, { member_id: next.memberId });
    expect(await heard(page, next.memberId, 1)).toEqual(['online']);
    const former = await world.agentSocket(agent);
    await heard(inbox, agent.memberId, 1);
    await page.settled();
    expect(statuses(page, agent.memberId)).toEqual(['offline']);
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    const rooms = world.app.app.get(SocketHub);
    await eventually(() => !rooms.hasSubscribers(topics.servedBy(next.memberId)) || undefined);
    await setTo(next, 'away');
    await setTo(agent, 'away');
    expect(await heard(inbox, agent.memberId, 2)).toEqual(['online', 'away']);
    await page.settled();
    expect([statuses(page, agent.memberId), statuses(page, next.memberId)]).toEqual([['offline'], ['online']]);
    await former.close();
  });
});

describe('when somebody was last seen', () => {
  it('is kept of members and contacts, while they are there and after they have left', async () => {
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
