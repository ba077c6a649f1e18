import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { countsOf, race } from '../support/race.js';
import type { Answer } from '../support/http.js';
import type { Json } from '../support/json.js';
import { jwt } from '../support/tokens.js';
import type { Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

interface Field {
  key: string;
  label: string;
  type: string;
  required: boolean;
  options?: string[];
}

const field = (key: string, type = 'text', more: Partial<Field> = {}): Field => ({
  key,
  label: key,
  type,
  required: false,
  ...more,
});
const required = (key: string, type = 'text', more: Partial<Field> = {}) =>
  field(key, type, { required: true, ...more });

let world: World;
let desk: Desk;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
});

const configure = (settings: object) => desk.owner.api.patch(`/v1/channels/${desk.channelId}`, settings);
const ask = (fields: Field[], enabled = true) => configure({ widget_config: { pre_chat_form: { enabled, fields } } });
const start = (visitor: Visitor, pre_chat?: unknown, message: object = {}) =>
  visitor.api.post('/v1/widget/conversations', { message: { content: 'Hello?', ...message }, pre_chat });
const read = async ({ data }: Answer<Json>): Promise<Json> =>
  (await desk.owner.api.get(`/v1/conversations/${data.conversation.id}`)).data as Json;
const contactOf = async ({ contactId }: Visitor): Promise<Json> =>
  (await desk.owner.api.get(`/v1/contacts/${contactId}`)).data as Json;
const faults = ({ status, error }: Answer<Json>) => [
  status,
  error?.code,
  ...(error?.details ?? []).map(detail => `${detail.field} ${detail.code}`),
];
const conversations = async (): Promise<Json[]> => (await desk.owner.api.get('/v1/conversations')).data.items as Json[];

describe('The answers to a pre-chat form', () => {
  it('Answers are kept with the conversation, and only agents see them', async () => {
    await ask([required('order_number'), field('topic', 'select', { options: ['Parcel', 'Refund'] })]);
    const inbox = await world.agentSocket(desk.owner);
    const visitor = await world.visitor(desk);
    const socket = await world.visitorSocket(visitor);
    const started = await start(visitor, { order_number: ' 4711 ', topic: 'Refund' });
    const kept = { order_number: '4711', topic: 'Refund' };
    const conversation = await read(started);
    expect(conversation.pre_chat).toEqual(kept);
    expect(conversation.custom_attributes).toEqual({});
    expect((await contactOf(visitor)).custom_attributes).toEqual({});
    expect((await inbox.next('conversation.created')).data.conversation.pre_chat).toEqual(kept);
    expect((await conversations())[0]?.pre_chat).toEqual(kept);
    const seen = [started.data, await socket.next('conversation.created')];
    for (const each of seen) expect(JSON.stringify(each)).not.toMatch(/pre_chat|4711/);
  });

  it('Each type takes its own values and refuses others at pre_chat.{key} (400)', async () => {
    await ask([
      field('text'),
      field('area', 'textarea'),
      field('mail', 'email'),
      field('call', 'phone'),
      field('pick', 'select', { options: ['one', 'two'] }),
      field('tick', 'checkbox'),
    ]);
    const visitor = await world.visitor(desk);
    const wrong = { text: 7, area: 'x'.repeat(2_001), mail: 'ada', call: true, pick: 'three', tick: 'yes' };
    expect(faults(await start(visitor, wrong))).toEqual([
      400,
      'validation_failed',
      'pre_chat.text type',
      'pre_chat.area too_long',
      'pre_chat.mail format',
      'pre_chat.call type',
      'pre_chat.pick not_allowed',
      'pre_chat.tick type',
    ]);
    expect(await conversations()).toEqual([]);
    const area = `${'😀'.repeat(1_000)}\n${'x'.repeat(999)}`;
    const right = { text: 'a', area, mail: ' Ada@Bücher.example', call: '+49 30', pick: 'two', tick: false };
    const { pre_chat } = await read(await start(visitor, right));
    expect(pre_chat).toEqual({ ...right, mail: 'ada@xn--bcher-kva.example' });
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' \n'],
  ])('A required answer that is %s is missing (400)', async (_name, value) => {
    await ask([required('order_number'), required('terms', 'checkbox'), field('topic')]);
    const visitor = await world.visitor(desk);
    const refusal = await start(visitor, { order_number: value, topic: value, terms: false });
    expect(faults(refusal)).toEqual([
      400,
      'validation_failed',
      'pre_chat.order_number required',
      'pre_chat.terms required',
    ]);
    expect(faults(await start(visitor))).toHaveLength(4);
    expect((await start(visitor, { order_number: '1', terms: true, topic: value })).status).toBe(201);
  });

  it('Text that cannot be stored is refused (400)', async () => {
    await ask([field('one'), field('two')]);
    const answers = { one: 'a\u0000b', two: 'a\ud800b' };
    expect(faults(await start(await world.visitor(desk), answers)).slice(2)).toEqual([
      'pre_chat.one format',
      'pre_chat.two format',
    ]);
  });

  it('Answers without a question are ignored, and keys of JavaScript objects are keys like others', async () => {
    await ask([field('constructor'), field('__proto__'), field('known')]);
    const body =
      '{"message":{"content":"Hi"},"pre_chat":{"constructor":"c","__proto__":"p","toString":"x","other":{}}}';
    const visitor = await world.visitor(desk);
    const started = await visitor.api.post('/v1/widget/conversations', JSON.parse(body));
    expect(JSON.stringify((await read(started)).pre_chat)).toBe('{"__proto__":"p","constructor":"c"}');
  });

  it('A conversation without answers has none', async () => {
    await ask([field('topic')]);
    expect((await read(await start(await world.visitor(desk), {}))).pre_chat).toBeNull();
  });

  it('Answers that are no object are refused (400)', async () => {
    await ask([field('topic')]);
    const visitor = await world.visitor(desk);
    for (const answers of ['x', 7, [], null]) {
      expect(faults(await start(visitor, answers))).toEqual([400, 'validation_failed', 'pre_chat type']);
    }
  });

  it('A select without options is refused when the form is saved (400)', async () => {
    const path = 'widget_config.pre_chat_form.fields[1].options';
    for (const options of [undefined, []]) {
      const refusal = await ask([field('a'), field('b', 'select', options && { options })]);
      expect(faults(refusal)).toEqual([400, 'validation_failed', `${path} required`]);
    }
  });

  it('A visitor sees the form, with its options, before its session and in it', async () => {
    const fields = [required('topic', 'select', { options: ['Parcel', 'Refund'] }), field('terms', 'checkbox')];
    await ask(fields);
    const { data } = await world.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`);
    expect(data.widget_config.pre_chat_form).toEqual({ enabled: true, fields });
  });
});

describe('Where a pre-chat form is asked', () => {
  it('A form that is not enabled is not asked, and its answers are ignored', async () => {
    await ask([required('order_number')], false);
    const visitor = await world.visitor(desk);
    expect((await read(await start(visitor, { order_number: 7 }))).pre_chat).toBeNull();
  });

  it('A message to the unresolved conversation is not asked, and its answers are ignored', async () => {
    const visitor = await world.visitor(desk);
    const first = await start(visitor);
    await ask([required('order_number')]);
    for (const answers of [undefined, { order_number: '4711' }, { order_number: 7 }]) {
      const joined = await start(visitor, answers);
      expect([joined.status, joined.data.conversation.id]).toEqual([200, first.data.conversation.id]);
    }
    expect((await read(first)).pre_chat).toBeNull();
  });

  it('A message that reopens the latest conversation is not asked', async () => {
    const visitor = await world.visitor(desk);
    const first = await start(visitor);
    await desk.owner.api.post(`/v1/conversations/${first.data.conversation.id}/resolve`);
    await ask([required('order_number')]);
    expect((await start(visitor)).status).toBe(200);
  });

  it('A message to a conversation past its reopen window is not asked', async () => {
    const visitor = await world.visitor(desk);
    const { id } = (await start(visitor)).data.conversation as Json;
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    await ask([required('order_number')]);
    await configure({ reopen_window_hours: 0 });
    const sent = await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Hello?' });
    expect(sent.status).toBe(201);
    expect(faults(await start(await world.visitor(desk)))[0]).toBe(400);
  });

  it('Agents and keys start conversations without answers', async () => {
    await ask([required('order_number')]);
    const { contactId } = await world.visitor(desk);
    const made = await desk.owner.api.post('/v1/conversations', { contact_id: contactId, channel_id: desk.channelId });
    expect(made.status).toBe(201);
  });

  it('A refused start changes nothing: no conversation, no number, no contact, no event', async () => {
    await ask([required('name'), required('order_number')]);
    const visitor = await world.visitor(desk);
    const inbox = await world.agentSocket(desk.owner);
    expect(faults(await start(visitor, { name: 'Vera' }))).toEqual([
      400,
      'validation_failed',
      'pre_chat.order_number required',
    ]);
    expect((await contactOf(visitor)).name).toBeNull();
    expect((await start(visitor, { name: 'Vera', order_number: '1' })).data.conversation.number).toBe(1);
    await inbox.next('conversation.created');
    expect(inbox.of('contact.updated')).toHaveLength(1);
  });

  it.each([true, false])(
    'A start that is repeated with its client_message_id gets its first answer without new answers (single: %s)',
    async single_conversation => {
      await configure({ single_conversation });
      await ask([required('order_number')]);
      const visitor = await world.visitor(desk);
      const first = await start(visitor, { order_number: '4711' }, { client_message_id: 'm-1' });
      expect(first.status).toBe(201);
      const again = async (answers?: object) => {
        const { status, data } = await start(visitor, answers, { client_message_id: 'm-1' });
        expect([status, data.message]).toEqual([200, first.data.message]);
        expect(data.conversation.id).toBe(first.data.conversation.id);
      };
      await again();
      await again({ order_number: 7 });
      await desk.owner.api.post(`/v1/conversations/${first.data.conversation.id}/resolve`);
      await configure({ reopen_window_hours: 0 });
      await again();
      expect(await conversations()).toHaveLength(1);
      expect((await read(first)).pre_chat).toEqual({ order_number: '4711' });
    },
  );
});

describe("The contact's details in a pre-chat form", () => {
  const details = [required('name'), required('email', 'email'), required('phone', 'phone')];

  it('Name, e-mail and phone go to an unverified contact, and the agents hear of it', async () => {
    await ask([...details, field('topic')]);
    const visitor = await world.visitor(desk);
    const inbox = await world.agentSocket(desk.owner);
    const answers = { name: 'Vera', email: 'VERA@example.com', phone: '+49 30', topic: 'Parcel' };
    const started = await start(visitor, answers);
    const known = { name: 'Vera', email: 'vera@example.com', phone: '+49 30' };
    expect(await contactOf(visitor)).toMatchObject(known);
    const conversation = await read(started);
    expect(conversation.pre_chat).toEqual({ topic: 'Parcel' });
    const created = await inbox.next('conversation.created');
    expect(created.data.contact).toMatchObject({ name: 'Vera', email: 'vera@example.com' });
    expect((await inbox.next('contact.updated')).data).toMatchObject(known);
  });

  it('Details that the contact has need no answer, and given ones replace them', async () => {
    await ask(details);
    const visitor = await world.visitor(desk, { name: 'Vera', email: 'vera@example.com' });
    expect(faults(await start(visitor)).slice(2)).toEqual(['pre_chat.phone required']);
    expect((await start(visitor, { name: 'Vera L.', phone: '+49 30' })).status).toBe(201);
    expect(await contactOf(visitor)).toMatchObject({ name: 'Vera L.', email: 'vera@example.com', phone: '+49 30' });
  });

  it("Details keep the contact's own limits, whatever type the form gives them", async () => {
    await ask([field('name', 'textarea'), field('email'), field('phone', 'checkbox')]);
    const answers = { name: 'x'.repeat(201), email: 'ada', phone: '1'.repeat(51) };
    expect(faults(await start(await world.visitor(desk), answers)).slice(2)).toEqual([
      'pre_chat.name too_long',
      'pre_chat.email format',
      'pre_chat.phone too_long',
    ]);
  });

  it('A verified contact is not changed by its answers', async () => {
    const channel = await world.channel(desk, { widget_config: { pre_chat_form: { enabled: true, fields: details } } });
    const external_id = unique('user');
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const identity_token = jwt({ sub: external_id, exp }, channel.identity_secret as string);
    const proof = { external_id, identity_token, name: 'Vera', email: 'vera@example.com' };
    const visitor = await world.visitor({ widgetToken: channel.widget_token as string }, proof);
    expect(faults(await start(visitor)).slice(2)).toEqual(['pre_chat.phone required']);
    expect((await start(visitor, { name: 'Eve', email: 'eve@example.com', phone: '1' })).status).toBe(201);
    expect(await contactOf(visitor)).toMatchObject({ name: 'Vera', email: 'vera@example.com', phone: null });
  });
});

describe('Two first messages at once', () => {
  it('Of concurrent first messages, one with answers starts the conversation; others join it or are asked', async () => {
    await ask([required('name'), required('order_number')]);
    for (let seed = 0; seed < 25; seed += 1) {
      const visitor = await world.visitor(desk);
      const outcomes = await race(6, index =>
        start(visitor, index % 2 === seed % 2 ? { name: `Vera ${index}`, order_number: String(index) } : {}),
      );
      const counts = countsOf(outcomes.map(({ status }) => status));
      expect(counts['201']).toBe(1);
      expect((counts['201'] ?? 0) + (counts['200'] ?? 0) + (counts['400'] ?? 0)).toBe(6);
      const started = outcomes.find(({ status }) => status === 201);
      const accepted = outcomes.filter(({ status }) => status < 300);
      expect(new Set(accepted.map(({ data }) => data.conversation.id as string)).size).toBe(1);
      // the answers of the message that started it, and of no other
      const { pre_chat, contact, last_seq } = await read(started as Answer<Json>);
      expect(contact.name).toBe(`Vera ${pre_chat.order_number}`);
      expect(last_seq).toBe(accepted.length);
    }
  }, 120_000);

  it.each([true, false])(
    'A first message and its repetitions at once make one conversation with one message (single: %s)',
    async single_conversation => {
      await configure({ single_conversation });
      await ask([required('name')]);
      for (let seed = 0; seed < 25; seed += 1) {
        const visitor = await world.visitor(desk);
        const outcomes = await race(4, () => start(visitor, { name: 'Vera' }, { client_message_id: 'm-1' }));
        expect(countsOf(outcomes.map(({ status }) => status))).toEqual({ 200: 3, 201: 1 });
        expect(new Set(outcomes.map(({ data }) => data.message.id as string)).size).toBe(1);
      }
    },
    120_000,
  );
});
