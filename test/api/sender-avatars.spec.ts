import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MessageRecord } from '../../src/modules/messages/index.js';
import { giveControl } from '../support/bot-control.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import type { TestSocket } from '../support/socket.js';
import type { Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const AVATAR = 'https://shop.example/ada.png';
const NEW_AVATAR = 'https://shop.example/ada-2.png';

let world: World;
let desk: Desk;
let visitor: Visitor;
/** The id of an open conversation that the visitor has started. */
let id: string;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  visitor = await world.visitor(desk);
  id = (await world.conversation(visitor)).id as string;
});

const sql = (text: string, ...values: unknown[]) => world.app.database.query<Json>(text, values);
const path = () => `/v1/conversations/${id}/messages`;
const send = async (content: string, more: object = {}, as: Caller = desk.owner.api): Promise<MessageRecord> => {
  const sent = await as.post<MessageRecord>(path(), { content, ...more });
  expect(sent.status).toBe(201);
  return sent.data;
};
const read = async (as: Caller, of: string): Promise<MessageRecord[]> =>
  (await as.get<{ items: MessageRecord[] }>(of)).data.items;
const readAsAgent = () => read(desk.owner.api, path());
const readAsVisitor = () => read(visitor.api, `/v1/widget/conversations/${id}/messages`);
const setAvatar = (avatar_url: string | null, as: Caller = desk.owner.api) =>
  as.patch('/v1/workspace/members/me', { avatar_url });
const avatarsOf = (messages: MessageRecord[]) =>
  Object.fromEntries(messages.map(({ content, sender_avatar_url }) => [content, sender_avatar_url]));
const createBot = async () => {
  const bot = await desk.owner.api.post('/v1/bots', { name: 'Berta', avatar_url: 'https://shop.example/berta.png' });
  return bot.data.id as string;
};

describe('The avatar of a message’s sender', () => {
  it('A visitor sees the avatar of the agent who wrote, as of sending.', async () => {
    await setAvatar(AVATAR);
    const socket = await world.visitorSocket(visitor);
    await send('First answer');
    await send('Second answer');
    for (const content of ['First answer', 'Second answer']) {
      const frame = await socket.next('message.created', ({ data }) => data.message.content === content);
      expect(frame.data.message).toMatchObject({ sender_name: 'Olivia Owner', sender_avatar_url: AVATAR });
    }
    const seen = { 'Hello?': null, 'First answer': AVATAR, 'Second answer': AVATAR };
    expect(avatarsOf(await readAsVisitor())).toEqual(seen);
    expect(avatarsOf(await readAsAgent())).toEqual(seen);
  });

  it('A member who changes its name and avatar leaves its old messages as they were.', async () => {
    await send('without');
    await setAvatar(AVATAR);
    await send('before');
    await desk.owner.api.patch('/v1/workspace/members/me', { name: 'Ada', avatar_url: NEW_AVATAR });
    expect(await send('after')).toMatchObject({ sender_name: 'Ada', sender_avatar_url: NEW_AVATAR });
    await setAvatar(null);
    expect(await send('removed')).toMatchObject({ sender_name: 'Ada', sender_avatar_url: null });
    const seen = { 'Hello?': null, without: null, before: AVATAR, after: NEW_AVATAR, removed: null };
    expect(avatarsOf(await readAsVisitor())).toEqual(seen);
  });

  it('A message that is edited and unsent keeps the avatar that its sender had.', async () => {
    await setAvatar(AVATAR);
    const { id: messageId } = await send('Helo');
    await setAvatar(NEW_AVATAR);
    const socket = await world.visitorSocket(visitor);
    const edited = await desk.owner.api.patch(`${path()}/${messageId}`, { content: 'Hello' });
    expect(edited.data).toMatchObject({ content: 'Hello', sender_avatar_url: AVATAR });
    await desk.owner.api.delete(`${path()}/${messageId}`);
    for (const type of ['message.updated', 'message.deleted']) {
      expect((await socket.next(type)).data.message).toMatchObject({ id: messageId, sender_avatar_url: AVATAR });
    }
    expect((await readAsVisitor()).at(-1)).toMatchObject({ content: null, sender_avatar_url: AVATAR });
  });

  it('A key’s message has the avatar of the member that it names, and later changes leave it as it was.', async () => {
    const colleague = await world.colleague(desk);
    await setAvatar(AVATAR, colleague.api);
    const key = await world.apiKey(desk);
    const sent = await send('Hi', { member_id: colleague.memberId }, key);
    expect(sent).toMatchObject({ sender_name: 'Adam Agent', sender_avatar_url: AVATAR });
    await setAvatar(NEW_AVATAR, colleague.api);
    expect((await readAsVisitor()).at(-1)).toEqual(sent);
  });

  it('A contact’s message and the service’s own messages have no avatar, whatever avatar the contact has.', async () => {
    await desk.owner.api.patch(`/v1/contacts/${visitor.contactId}`, { avatar_url: AVATAR });
    const sent = await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Still me' });
    expect(sent.data.sender_avatar_url).toBeNull();
    await setAvatar(AVATAR);
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    const shown = await readAsAgent();
    expect(shown.at(-1)).toMatchObject({ content_type: 'event', metadata: { event: 'resolved' } });
    expect(shown.map(({ sender_avatar_url }) => sender_avatar_url)).toEqual(shown.map(() => null));
  });

  it('A note has the avatar of its writer, and a contact’s export has the avatars of those who answered.', async () => {
    await setAvatar(AVATAR);
    expect(await send('A note', { private: true })).toMatchObject({ sender_avatar_url: AVATAR });
    const key = await world.apiKey(desk);
    const exported = await key.post(`/v1/contacts/${visitor.contactId}/export`, { include_notes: true });
    expect(avatarsOf(exported.data.messages as MessageRecord[])).toEqual({ 'Hello?': null, 'A note': AVATAR });
  });
});

describe('The avatar of a bot that sends', () => {
  it('A visitor sees the avatar of the bot that wrote, as of sending.', async () => {
    const botId = await createBot();
    await giveControl(world, id, botId);
    const key = await world.apiKey(desk);
    const sent = await send('Beep', { bot_id: botId }, key);
    expect(sent).toMatchObject({ sender_name: 'Berta', sender_avatar_url: 'https://shop.example/berta.png' });
    await desk.owner.api.patch(`/v1/bots/${botId}`, { avatar_url: 'https://shop.example/berta-2.png' });
    expect((await readAsVisitor()).at(-1)).toEqual(sent);
    await desk.owner.api.delete(`/v1/bots/${botId}`);
    expect((await readAsVisitor()).at(-1)).toEqual(sent);
  });
});

describe('Messages of a release without avatars', () => {
  it('A message that the release before inserts is shown with a null avatar.', async () => {
    await setAvatar(AVATAR);
    await sql(
      `INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, sender_name, content)
       SELECT workspace_id, gen_random_uuid(), id, last_seq + 1, 'agent', $2, 'Olivia Owner', 'By the old release'
       FROM conversation WHERE id = $1`,
      id,
      desk.owner.memberId,
    );
    await sql('UPDATE conversation SET last_seq = last_seq + 1 WHERE id = $1', id);
    const seen = { 'Hello?': null, 'By the old release': null };
    expect(avatarsOf(await readAsVisitor())).toEqual(seen);
    expect(avatarsOf(await readAsAgent())).toEqual(seen);
  });

  it('Events that were logged without an avatar are replayed with null, to agents, visitors and servers.', async () => {
    const key = await world.apiKey(desk);
    const { cursor } = (await key.get('/v1/events')).data;
    const after = await cursorOf(world.agentSocket(desk.owner));
    await setAvatar(AVATAR);
    const { id: messageId } = await send('Logged');
    await desk.owner.api.patch(`${path()}/${messageId}`, { content: 'Edited' });
    await desk.owner.api.delete(`${path()}/${messageId}`);
    await sql(`UPDATE event SET payload = payload #- '{message,sender_avatar_url}' WHERE conversation_id = $1`, id);
    const types = ['message.created', 'message.updated', 'message.deleted'];
    for (const socket of [
      await world.agentSocket(desk.owner, { after }),
      await world.visitorSocket(visitor, { after }),
    ]) {
      for (const type of types) {
        const { message } = (await socket.next(type, ({ data }) => data.message.id === messageId)).data;
        expect(message).toHaveProperty('sender_avatar_url', null);
      }
    }
    const read = await eventually(async () => {
      const items = (await key.get(`/v1/events?after=${cursor as string}`)).data.items as Json[];
      const found = items.filter(({ type, data }) => types.includes(type as string) && data.message.id === messageId);
      return found.length >= types.length ? found : undefined;
    });
    expect(read.map(({ type, data }) => [type, data.message.sender_avatar_url])).toEqual(
      types.map(type => [type, null]),
    );
  });
});

/** Closes the socket. @returns its cursor */
async function cursorOf(opening: Promise<TestSocket>): Promise<string> {
  const socket = await opening;
  const { cursor } = (await socket.next('connected')).data;
  await socket.close();
  return cursor as string;
}
