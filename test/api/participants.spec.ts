import { beforeEach, describe, expect, it } from '@jest/globals';
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
  [ada, ben] = [await world.colleague(desk, { name: 'Ada' }), await world.colleague(desk, { name: 'Ben' })];
  await begin();
});

async function begin(): Promise<string> {
  visitor = await world.visitor(desk);
  id = (await world.conversation(visitor, 'Where is my parcel?')).id as string;
  return id;
}
const write = () => visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Hello?' });
const send = async (agent: Agent, body: object = {}): Promise<Json> =>
  (await agent.api.post(`/v1/conversations/${id}/messages`, { content: 'Let me look.', ...body })).data;
const mention = (agent: Agent, ...members: Agent[]): Promise<Json> =>
  send(agent, { private: true, metadata: { mentions: members.map(({ memberId }) => memberId) } });
const act = (agent: Agent, action: string, body: object = {}) =>
  agent.api.post(`/v1/conversations/${id}/${action}`, body);
const assign = (member: Agent | null) => act(desk.owner, 'assign', { member_id: member?.memberId ?? null });
const list = async (agent: Agent, query: string): Promise<string[]> => {
  await consumed(world, NotificationsConsumer);
  return ((await agent.api.get(`/v1/conversations?${query}`)).data.items as Json[]).map(item => item.id as string);
};
const participates = async (agent: Agent): Promise<boolean> => (await list(agent, 'participating=me')).includes(id);
const unreadMentions = async (agent: Agent): Promise<number> => {
  await consumed(world, NotificationsConsumer);
  return (await agent.api.get('/v1/conversations/counts')).data.mentioned_unread as number;
};
const refusal = ({ status, error }: { status: number; error?: { code: string } }) => [status, error?.code];

describe('A participant', () => {
  it('A member takes part while it is assigned.', async () => {
    expect(await participates(ada)).toBe(false);
    await assign(ada);
    expect(await participates(ada)).toBe(true);
    await assign(ben);
    expect([await participates(ada), await participates(ben)]).toEqual([false, true]);
    await assign(null);
    expect(await participates(ben)).toBe(false);
  });

  it('A member who has written, also a note, takes part.', async () => {
    await send(ada);
    await send(ben, { private: true });
    expect([await participates(ada), await participates(ben), await participates(desk.owner)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('A message that an API key sends for a member counts as its own.', async () => {
    const key = await world.apiKey(desk);
    await key.post(`/v1/conversations/${id}/messages`, { content: 'Hello', member_id: ada.memberId });
    expect(await participates(ada)).toBe(true);
  });

  it('A mentioned member takes part, its mention is listed and counted until it looks.', async () => {
    await mention(ben, ada);
    expect([await participates(ada), await unreadMentions(ada)]).toEqual([true, 1]);
    expect(await list(ada, 'mentioned=me')).toEqual([id]);
    expect(await list(ben, 'mentioned=me')).toEqual([]);
    await act(ada, 'read', { seq: 100 });
    expect(await unreadMentions(ada)).toBe(0);
    expect(await list(ada, 'mentioned=me')).toEqual([id]);
    await mention(ben, ada);
    expect(await unreadMentions(ada)).toBe(1);
    await send(ada);
    expect(await unreadMentions(ada)).toBe(0);
    await mention(ben, ada);
    expect(await unreadMentions(ada)).toBe(1);
    await ada.api.post('/v1/notifications/read', { all: true });
    expect(await unreadMentions(ada)).toBe(0);
  });

  it('After one of two notes was unsent, the other mention stays.', async () => {
    const [, second] = [await mention(ben, ada), await mention(ben, ada)];
    await ben.api.delete(`/v1/conversations/${id}/messages/${String(second.id)}`);
    expect([await list(ada, 'mentioned=me'), await unreadMentions(ada)]).toEqual([[id], 1]);
  });

  it('The count of unread mentions stops at 100.', async () => {
    await world.app.database.query(
      `WITH made AS (
         INSERT INTO conversation
         SELECT (jsonb_populate_record(conversation, jsonb_build_object('id', gen_random_uuid(), 'number', number + n, 'single', false))).*
         FROM conversation, generate_series(1, 120) AS n WHERE id = $1 RETURNING workspace_id, id)
       INSERT INTO participant (workspace_id, member_id, conversation_id, mentioned_seq)
       SELECT workspace_id, $2, id, 1 FROM made`,
      [id, ada.memberId],
    );
    expect(await unreadMentions(ada)).toBe(100);
  });
});

describe('Leaving a conversation', () => {
  it('A member who leaves takes part no more and is not notified of replies, until its next act.', async () => {
    await send(ada);
    expect(await participates(ada)).toBe(true);
    expect((await act(ada, 'leave')).data).toMatchObject({ id });
    expect(await participates(ada)).toBe(false);
    await write();
    await consumed(world, NotificationsConsumer);
    expect((await ada.api.get('/v1/notifications')).data.items).toEqual([]);
    await send(ada);
    expect(await participates(ada)).toBe(true);
  });

  it('An act before the leave does not undo it, even if it is handled after it.', async () => {
    for (let round = 0; round < 10; round += 1) {
      await begin();
      await send(ada);
      await act(ada, 'leave');
      expect(await participates(ada)).toBe(false);
    }
  });

  it.each(['an assignment', 'a mention'])('After leaving, %s takes part again.', async kind => {
    await send(ada);
    await act(ada, 'leave');
    await (kind === 'a mention' ? mention(ben, ada) : assign(ada));
    expect(await participates(ada)).toBe(true);
  });

  it('Leaving reads the notifications of the conversation.', async () => {
    await mention(ben, ada);
    await consumed(world, NotificationsConsumer);
    await act(ada, 'leave');
    expect((await ada.api.get('/v1/notifications?unread=true')).data.items).toEqual([]);
    expect(await unreadMentions(ada)).toBe(0);
  });

  it('A reply concerns the others who have written when the assignee has left.', async () => {
    await send(ben);
    await assign(ada);
    await consumed(world, NotificationsConsumer);
    await act(ada, 'leave');
    await write();
    await consumed(world, NotificationsConsumer);
    expect((await ben.api.get('/v1/notifications?unread=true')).data.items).toMatchObject([{ type: 'replied' }]);
    expect((await ada.api.get('/v1/notifications?unread=true')).data.items).toEqual([]);
  });

  it('A conversation out of scope (404) or of an erased contact (422) cannot be left, and an API key cannot leave (401).', async () => {
    const other = await world.channel(desk);
    const narrow = await world.colleague(desk, { channel_ids: [other.id] });
    expect((await act(narrow, 'leave')).status).toBe(404);
    const key = await world.apiKey(desk);
    expect((await key.post(`/v1/conversations/${id}/leave`, {})).status).toBe(401);
    await desk.owner.api.delete(`/v1/contacts/${visitor.contactId}`);
    expect(refusal(await act(ada, 'leave'))[1]).toBe('conversation_erased');
  });
});

describe('The lists of participations', () => {
  it('Pages go by last activity, combine with other filters, and obey the scope.', async () => {
    const ids = [id];
    await send(ada);
    for (let n = 0; n < 4; n += 1) {
      ids.push(await begin());
      await send(ada);
    }
    await begin();
    const first = await list(ada, 'participating=me&limit=3');
    expect(first).toEqual(ids.slice(2).reverse());
    const { next_cursor } = (await ada.api.get('/v1/conversations?participating=me&limit=3')).data;
    expect(await list(ada, `participating=me&limit=3&cursor=${String(next_cursor)}`)).toEqual([ids[1], ids[0]]);
    id = ids[0] ?? '';
    await act(ada, 'resolve');
    expect(await list(ada, 'participating=me&status=resolved')).toEqual([id]);
    expect(await list(ada, 'participating=me&mentioned=me')).toEqual([]);
    const other = await world.channel(desk);
    await desk.owner.api.patch(`/v1/workspace/members/${ada.memberId}`, { channel_ids: [other.id] });
    await eventually(async () => ((await list(ada, 'participating=me')).length === 0 ? true : undefined));
  });

  it.each(['participating', 'mentioned'])('The filter %s takes only `me`, and no API key (400).', async filter => {
    const key = await world.apiKey(desk);
    expect((await key.get(`/v1/conversations?${filter}=me`)).status).toBe(400);
    expect((await ada.api.get(`/v1/conversations?${filter}=${ben.memberId}`)).status).toBe(400);
  });
});
