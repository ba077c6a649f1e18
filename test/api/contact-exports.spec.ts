import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MessagesRepository } from '../../src/modules/messages/messages.repository.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { storeMessages } from '../support/stored-messages.js';
import type { Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

let desk: Desk;
let visitor: Visitor;
beforeEach(async () => {
  desk = await world.desk();
  visitor = await world.visitor(desk, { external_id: unique('user'), name: 'Vera', email: 'vera@example.com' });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const path = () => `/v1/contacts/${visitor.contactId}/export`;

describe('Exporting a contact', () => {
  it('A contact export has the context of its conversations and the answers to the pre-chat form', async () => {
    const fields = [{ key: 'order_number', label: 'Order', type: 'text', required: true }];
    const widget_config = { pre_chat_form: { enabled: true, fields } };
    await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { widget_config });
    const start = {
      message: { content: 'Hello?' },
      pre_chat: { order_number: '4711' },
      page: { url: 'https://shop.example/cart' },
    };
    await visitor.api.post('/v1/widget/conversations', start);
    const [exported] = (await desk.owner.api.post(path())).data.conversations as Json[];
    expect(exported).toMatchObject({
      context: { page: { url: 'https://shop.example/cart' } },
      pre_chat: { order_number: '4711' },
    });
  });

  it('A contact export has the contact, its merged contacts, conversations and messages', async () => {
    const conversation = await world.conversation(visitor, 'Hello?');
    const send = (content: string, more: object = {}) =>
      desk.owner.api.post(`/v1/conversations/${conversation.id}/messages`, { content, ...more });
    await send('Hello Vera');
    await send('Difficult person', { private: true });
    const duplicate = await world.visitor(desk, { name: 'V.' });
    await desk.owner.api.post(`/v1/contacts/${visitor.contactId}/merge`, { from_id: duplicate.contactId });
    const { status, data } = await desk.owner.api.post(path());
    expect(status).toBe(200);
    const { presence: _presence, ...expected } = (await desk.owner.api.get(`/v1/contacts/${visitor.contactId}`)).data;
    expect(data.contact).toEqual(expected);
    expect(data.merged_contacts).toMatchObject([{ id: duplicate.contactId, name: 'V.' }]);
    expect(data.conversations).toMatchObject([{ id: conversation.id, status: 'open', channel_id: desk.channelId }]);
    expect((data.messages as Json[]).map(({ content }) => content)).toEqual(['Hello?', 'Hello Vera']);
    const withNotes = await desk.owner.api.post(path(), { include_notes: true });
    expect((withNotes.data.messages as Json[]).map(message => [message.content, message.private])).toEqual([
      ['Hello?', false],
      ['Hello Vera', false],
      ['Difficult person', true],
    ]);
  });

  it('A contact export contains the data of that contact only', async () => {
    await world.conversation(await world.visitor(desk), 'Somebody else');
    expect((await desk.owner.api.post(path())).data).toMatchObject({
      merged_contacts: [],
      conversations: [],
      messages: [],
    });
  });

  it('A contact export needs all channels or a key with contact-exports:write, and is recorded', async () => {
    const limited = await world.colleague(desk, { channel_ids: [desk.channelId] });
    const small = await world.apiKey(desk, { scopes: ['contacts:write', 'conversations:write'] });
    expect((await limited.api.post(path())).error.code).toBe('scope_too_narrow');
    expect((await small.post(path())).error.code).toBe('forbidden');
    expect((await (await world.desk()).owner.api.post(path())).status).toBe(404);
    const key = await world.apiKey(desk, { scopes: ['contact-exports:write'] });
    expect((await key.post(path())).status).toBe(200);
    expect((await (await world.colleague(desk)).api.post(path())).status).toBe(200);
    const logged = await world.app.database.query<{ actor: string; payload: object }>(
      `SELECT actor ->> 'type' AS actor, payload FROM event WHERE type = 'contact.exported' AND contact_id = $1
       ORDER BY position`,
      [visitor.contactId],
    );
    expect(logged).toEqual(['api_key', 'member'].map(actor => ({ actor, payload: { id: visitor.contactId } })));
  });
});

describe('Exporting a contact with many messages', () => {
  const MESSAGES = 30_000;
  const PAGE = 200;

  it('A contact export is streamed as fast as it is read and never kept in memory whole', async () => {
    const conversation = await world.conversation(visitor, 'x'.repeat(1_000));
    await storeMessages(world.app.database, conversation.id as string, MESSAGES, 'x'.repeat(1_000));
    const pages = jest.spyOn(MessagesRepository.prototype, 'findWindow');
    const outgoing = request(new URL(path(), world.app.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${desk.owner.token}` },
    });
    outgoing.end();
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject);
    });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    // While the client reads nothing, the buffers fill up and the service stops reading pages.
    let before = -1;
    const stalled = await eventually(async () => {
      await new Promise(resolve => setTimeout(resolve, 300));
      const count = pages.mock.calls.length;
      const stays = count > 0 && count === before;
      before = count;
      return stays ? count : undefined;
    }, 30_000);
    expect(stalled).toBeLessThan((MESSAGES / PAGE) * 0.7);
    const { ok, data } = JSON.parse(await text(answer)) as Json;
    expect(ok).toBe(true);
    expect((data.messages as Json[]).map(({ seq }) => seq as number)).toEqual(
      Array.from({ length: MESSAGES + 1 }, (_nothing, index) => index + 1),
    );
  });

  it('A contact export that fails midway breaks the connection instead of ending early', async () => {
    const conversation = await world.conversation(visitor);
    await storeMessages(world.app.database, conversation.id as string, 1_000, 'x'.repeat(10));
    const real = MessagesRepository.prototype.findWindow;
    jest.spyOn(MessagesRepository.prototype, 'findWindow').mockImplementation(function (
      this: MessagesRepository,
      ...args
    ) {
      if ((args[2].afterSeq ?? 0) > 500) throw new Error('the database has gone');
      return real.apply(this, args);
    });
    const headers = { Authorization: `Bearer ${desk.owner.token}` };
    const answer = await fetch(new URL(path(), world.app.url), { method: 'POST', headers });
    await expect(answer.text()).rejects.toThrow();
  });
});
