import { beforeEach, describe, expect, it } from '@jest/globals';
import { NotificationRetentionJob } from '../../src/modules/notifications/notification-retention.job.js';
import { NotificationsConsumer } from '../../src/modules/notifications/notifications.consumer.js';
import { desk, world } from '../support/desk-for-each.js';
import { consumed } from '../support/consumed.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import type { Agent, Visitor } from '../support/world.js';

let visitor: Visitor;
let id: string;
let ada: Agent;
let ben: Agent;
beforeEach(async () => {
  visitor = await world.visitor(desk);
  id = (await world.conversation(visitor, 'Where is my parcel?')).id as string;
  [ada, ben] = [await world.colleague(desk, { name: 'Ada' }), await world.colleague(desk, { name: 'Ben' })];
});

const written = () => consumed(world, NotificationsConsumer);
const write = (content = 'Hello?') => visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content });
const send = async (agent: Agent, body: object = {}): Promise<Json> =>
  (await agent.api.post(`/v1/conversations/${id}/messages`, { content: 'Let me look.', ...body })).data;
const mention = (agent: Agent, ...members: Agent[]): Promise<Json> =>
  send(agent, { private: true, metadata: { mentions: members.map(({ memberId }) => memberId) } });
const act = (agent: Agent, action: string, body: object = {}) =>
  agent.api.post(`/v1/conversations/${id}/${action}`, body);
const assign = (member: Agent, by: Agent = desk.owner) => act(by, 'assign', { member_id: member.memberId });
const page = async (agent: Agent, query = ''): Promise<Json> => {
  await written();
  return (await agent.api.get(`/v1/notifications${query}`)).data as Json;
};
const items = async (agent: Agent, query = ''): Promise<Json[]> => (await page(agent, query)).items as Json[];
const unreadTypes = async (agent: Agent): Promise<string[]> =>
  (await items(agent, '?unread=true')).map(({ type }) => type as string);
const read = async (agent: Agent): Promise<Json> => {
  const { last_seq } = (await agent.api.get(`/v1/conversations/${id}`)).data as { last_seq: number };
  return (await act(agent, 'read', { seq: last_seq })).data;
};
const settings = (agent: Agent, notification_settings: object) =>
  agent.api.patch('/v1/workspace/members/me', { notification_settings });

describe('A notification', () => {
  it('A member is notified of an assignment by somebody else, and not of its own.', async () => {
    await assign(ada);
    await act(ben, 'take');
    expect(await items(ada)).toEqual([
      {
        id: expect.any(String),
        type: 'assigned',
        conversation_id: id,
        message_id: null,
        actor: { type: 'member', id: desk.owner.memberId },
        read_at: null,
        created_at: expect.any(String),
      },
    ]);
    expect(await items(ben)).toEqual([]);
  });

  it('Members whom a note mentions are notified, its writer and others are not.', async () => {
    const note = await mention(ada, ada, ben, ben);
    expect(note.metadata.mentions).toEqual([ada.memberId, ben.memberId]);
    expect(await items(ben)).toMatchObject([
      { type: 'mentioned', message_id: note.id, actor: { type: 'member', id: ada.memberId } },
    ]);
    expect([await items(ada), await items(desk.owner)]).toEqual([[], []]);
  });

  it('The assignee is notified of the first reply since it looked, and of no other.', async () => {
    await assign(ada, ada);
    await written();
    const first = (await write()).data;
    await write();
    await written();
    await write();
    expect(await items(ada)).toMatchObject([
      { type: 'replied', message_id: first.id, actor: { type: 'contact', id: visitor.contactId } },
    ]);
  });

  it('A reply concerns the assignee alone, even if others have written.', async () => {
    await send(ben);
    await assign(ada, ada);
    await written();
    await write();
    expect(await unreadTypes(ada)).toEqual(['replied']);
    expect(await unreadTypes(ben)).toEqual([]);
  });

  it('Without an assignee, a reply concerns those who have written, also those of a note.', async () => {
    await send(ada);
    await send(ben, { private: true });
    await mention(ben, desk.owner);
    await write();
    expect(await unreadTypes(ada)).toEqual(['replied']);
    expect(await unreadTypes(ben)).toEqual(['replied']);
    expect(await unreadTypes(desk.owner)).toEqual(['mentioned']);
  });

  it('A contact who writes before a member was assigned causes no notification of a reply.', async () => {
    await write();
    await assign(ada);
    expect(await unreadTypes(ada)).toEqual(['assigned']);
  });

  it('A message in the same moment as the first note of a member still causes a notification.', async () => {
    for (let round = 0; round < 10; round += 1) {
      visitor = await world.visitor(desk);
      id = (await world.conversation(visitor)).id as string;
      await send(ada, { private: true });
      await write();
    }
    expect(await unreadTypes(ada)).toEqual(Array.from({ length: 10 }, () => 'replied'));
  });

  it('Messages of bots and of the service notify nobody.', async () => {
    await assign(ada, ada);
    await act(ada, 'snooze', {});
    await act(ada, 'resolve');
    expect(await items(ada)).toEqual([]);
  });

  it('A deactivated member is notified of nothing.', async () => {
    await send(ada);
    await written();
    const key = await world.apiKey(desk);
    await key.post(`/v1/workspace/members/${ada.memberId}/deactivate`);
    await write();
    await written();
    await key.post(`/v1/workspace/members/${ada.memberId}/reactivate`);
    const [row] = await world.app.database.query<{ count: string }>(
      'SELECT count(*) FROM notification WHERE member_id = $1',
      [ada.memberId],
    );
    expect(row?.count).toBe('0');
  });
});

describe('A look', () => {
  beforeEach(async () => {
    await assign(ada);
    await write();
    await mention(ben, ada);
    await written();
    expect((await unreadTypes(ada)).sort()).toEqual(['assigned', 'mentioned', 'replied']);
  });

  it('Marking messages as read reads the notifications of them, also after another agent has read them.', async () => {
    await read(ben);
    expect(await unreadTypes(ada)).toHaveLength(3);
    await read(ada);
    expect(await page(ada, '?unread=true')).toMatchObject({ items: [], unread_count: 0 });
    await write();
    expect(await unreadTypes(ada)).toEqual(['replied']);
  });

  it('Marking earlier messages as read leaves the notifications of later ones unread.', async () => {
    const before = await items(ada);
    const [mentioned] = before.filter(({ type }) => type === 'mentioned');
    const messages = (await ada.api.get(`/v1/conversations/${id}/messages`)).data.items as Json[];
    const note = messages.find(message => message.id === mentioned?.message_id) as Json;
    await act(ada, 'read', { seq: note.seq - 1 });
    expect(await unreadTypes(ada)).toEqual(['mentioned']);
  });

  it("A look at the first reply leaves the contact's later messages for another notification.", async () => {
    await read(ada);
    const [first, second] = [(await write()).data, (await write()).data];
    await written();
    expect((await act(ada, 'read', { seq: first.seq })).status).toBe(200);
    expect(await items(ada, '?unread=true')).toMatchObject([{ type: 'replied', message_id: second.id }]);
  });

  it('Writing in a conversation reads its notifications.', async () => {
    await send(ada);
    expect(await unreadTypes(ada)).toEqual([]);
    expect(await items(ada)).toHaveLength(3);
  });

  it('A read notification of a reply is followed by another one when the contact writes again.', async () => {
    await ada.api.post('/v1/notifications/read', { all: true });
    expect(await unreadTypes(ada)).toEqual([]);
    await write();
    expect(await unreadTypes(ada)).toEqual(['replied']);
  });
});

describe('The list of notifications', () => {
  it('Pages are newest first, and the count of unread ones stops at 100.', async () => {
    await world.app.database.query(
      `INSERT INTO notification (workspace_id, id, member_id, type, channel_id, conversation_id, actor, in_app, mail_due, created_at)
       SELECT $1, gen_random_uuid(), $2, 'assigned', $3, $4, '{"type":"system","id":null}', true, false, now()
       FROM generate_series(1, 120)`,
      [desk.workspaceId, ada.memberId, desk.channelId, id],
    );
    const first = await page(ada, '?limit=70');
    const second = await page(ada, `?limit=70&cursor=${String(first.next_cursor)}`);
    expect(first.unread_count).toBe(100);
    expect(second.next_cursor).toBeNull();
    const ids = [...(first.items as Json[]), ...(second.items as Json[])].map(item => item.id as string);
    expect(ids).toHaveLength(120);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
  });

  it('Some or all notifications are marked as read, which returns how many are left.', async () => {
    for (const note of [1, 2, 3]) await mention(ben, ada).then(() => note);
    const [newest] = await items(ada);
    expect((await ada.api.post('/v1/notifications/read', { ids: [newest?.id] })).data).toEqual({ unread_count: 2 });
    expect((await ada.api.post('/v1/notifications/read', { ids: [newest?.id] })).data).toEqual({ unread_count: 2 });
    expect((await ada.api.post('/v1/notifications/read', { all: true })).data).toEqual({ unread_count: 0 });
    expect((await items(ada)).every(({ read_at }) => read_at !== null)).toBe(true);
  });

  it("Another member's notification, or a request with both or neither of ids and all, is refused (400).", async () => {
    await mention(ben, ada);
    const [notification] = await items(ada);
    for (const body of [{ ids: [notification?.id] }, {}, { all: false }, { ids: [], all: true }, { ids: ['x'] }]) {
      const refused = await ben.api.post('/v1/notifications/read', body);
      expect([refused.status, refused.error?.code]).toEqual([400, 'validation_failed']);
    }
    expect(await unreadTypes(ada)).toEqual(['mentioned']);
  });

  it('An API key has no notifications (401).', async () => {
    const key = await world.apiKey(desk);
    expect((await key.get('/v1/notifications')).error?.code).toBe('agent_token_required');
  });

  it('A session shows, counts and reads only notifications of channels in its scope now.', async () => {
    const other = await world.channel(desk);
    await mention(ben, ada);
    await written();
    const narrowed = (await ada.api.post('/v1/auth/agent-token', { channel_ids: [other.id] })).data as Json;
    const narrow = { ...ada, api: world.as(narrowed.token as string) };
    const [hidden] = await items(ada);
    expect(await page(narrow)).toMatchObject({ items: [], unread_count: 0 });
    expect((await narrow.api.post('/v1/notifications/read', { ids: [hidden?.id] })).status).toBe(400);
    expect((await narrow.api.post('/v1/notifications/read', { all: true })).status).toBe(200);
    expect(await unreadTypes(ada)).toEqual(['mentioned']);
    await desk.owner.api.patch(`/v1/workspace/members/${ada.memberId}`, { channel_ids: [other.id] });
    await eventually(async () => ((await items(ada)).length === 0 ? true : undefined));
    expect((await ada.api.get('/v1/conversations/counts')).data.mentioned_unread).toBe(0);
  });

  it('Unsending a note removes its notifications at once, and later their rows.', async () => {
    const note = await mention(ben, ada);
    expect(await unreadTypes(ada)).toEqual(['mentioned']);
    await ben.api.delete(`/v1/conversations/${id}/messages/${String(note.id)}`);
    expect((await ada.api.get('/v1/notifications')).data).toMatchObject({ items: [], unread_count: 0 });
    await written();
    const rows = await world.app.database.query('SELECT FROM notification WHERE member_id = $1', [ada.memberId]);
    expect(rows).toEqual([]);
    expect((await ada.api.get('/v1/conversations/counts')).data.mentioned_unread).toBe(0);
    expect((await ada.api.get('/v1/conversations?mentioned=me')).data.items).toEqual([]);
  });

  it('Erasing the contact removes the notifications of its conversations at once, and later their rows.', async () => {
    await mention(ben, ada);
    expect(await unreadTypes(ada)).toEqual(['mentioned']);
    await desk.owner.api.delete(`/v1/contacts/${visitor.contactId}`);
    expect((await ada.api.get('/v1/notifications')).data).toMatchObject({ items: [], unread_count: 0 });
    expect((await ada.api.get('/v1/conversations/counts')).data.mentioned_unread).toBe(0);
    await eventually(async () => {
      const rows = await world.app.database.query('SELECT FROM notification WHERE member_id = $1', [ada.memberId]);
      return rows.length === 0 ? true : undefined;
    });
  });
});

describe('The retention of notifications', () => {
  it('Notifications are deleted after 90 days.', async () => {
    await mention(ben, ada);
    await written();
    const job = world.app.app.get(NotificationRetentionJob, { strict: false });
    const count = async () =>
      (await world.app.database.query('SELECT FROM notification WHERE member_id = $1', [ada.memberId])).length;
    world.app.clock.advance(90 * 24 * 3_600 - 60);
    await job.run();
    expect(await count()).toBe(1);
    world.app.clock.advance(120);
    await job.run();
    expect(await count()).toBe(0);
  });
});

describe('Notification settings', () => {
  it('A member sees its settings, all on but mails of replies, and changes them key by key.', async () => {
    const defaults = {
      assigned: { app: true, email: true },
      mentioned: { app: true, email: true },
      replied: { app: true, email: false },
    };
    expect((await ada.api.get('/v1/workspace/members/me')).data.notification_settings).toEqual(defaults);
    const changed = await settings(ada, { replied: { email: true }, mentioned: { app: false } });
    expect(changed.data.notification_settings).toEqual({
      assigned: { app: true, email: true },
      mentioned: { app: false, email: true },
      replied: { app: true, email: true },
    });
    expect((await ada.api.get('/v1/workspace/members/me')).data).toMatchObject({ id: ada.memberId, ...changed.data });
    expect((await settings(ada, { replied: { email: 'yes' } })).status).toBe(400);
    expect((await desk.owner.api.get(`/v1/workspace/members/${ada.memberId}`)).data).not.toHaveProperty(
      'notification_settings',
    );
  });

  it('A type that is off in the app is not listed.', async () => {
    await settings(ada, { mentioned: { app: false } });
    await mention(ben, ada);
    await assign(ada);
    expect(await unreadTypes(ada)).toEqual(['assigned']);
  });
});

describe('The frames of notifications', () => {
  it('A notification and its reading reach all sockets of the member, and of nobody else, without id and cursor.', async () => {
    const sockets = [await world.agentSocket(ada), await world.agentSocket(ada)];
    const others = await world.agentSocket(ben);
    await mention(ben, ada);
    for (const socket of sockets) {
      const { data, ...frame } = await socket.next('notification.created');
      expect(data.notification).toMatchObject({ type: 'mentioned', conversation_id: id, read_at: null });
      expect(frame).toEqual({ type: 'notification.created' });
    }
    const [notification] = await items(ada);
    await read(ada);
    for (const socket of sockets) {
      expect((await socket.next('notification.read')).data).toEqual({ ids: [notification?.id] });
    }
    await others.settled();
    expect([...others.of('notification.created'), ...others.of('notification.read')]).toEqual([]);
  });

  it('A socket whose scope does not have the conversation gets no frame.', async () => {
    const other = await world.channel(desk);
    const narrowed = (await ada.api.post('/v1/auth/agent-token', { channel_ids: [other.id] })).data as Json;
    const narrow = await world.agentSocket({ ...ada, token: narrowed.token as string });
    const wide = await world.agentSocket(ada);
    await mention(ben, ada);
    await wide.next('notification.created');
    await narrow.settled();
    expect(narrow.of('notification.created')).toEqual([]);
  });

  it('Unsending a note tells the sockets that its notification is gone.', async () => {
    const socket = await world.agentSocket(ada);
    const note = await mention(ben, ada);
    const { data } = await socket.next('notification.created');
    await ben.api.delete(`/v1/conversations/${id}/messages/${String(note.id)}`);
    expect((await socket.next('notification.read')).data).toEqual({ ids: [data.notification.id] });
  });
});
