import { describe, expect, it } from '@jest/globals';
import { desk, owner, world } from '../support/desk-for-each.js';
import { erased, highlightsOf, indexed, search, titleOf } from '../support/found.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);

const conversation = async (widgetToken = desk.widgetToken, content = 'Hello?'): Promise<string> =>
  (await world.conversation(await world.visitor({ widgetToken }), content)).id as string;
const send = async (id: string, content: string, body: object = {}): Promise<string> => {
  const sent = await owner.post(`/v1/conversations/${id}/messages`, { content, ...body });
  if (sent.status !== 201) throw new Error(JSON.stringify(sent.body));
  return sent.data.id as string;
};
const found = async (query: string, parameters: Record<string, string> = {}, caller: Caller = owner) =>
  (await search(caller, query, parameters)).map(titleOf);
const refusal = async (query: string) => {
  const { status, error } = await owner.get(`/v1/search?query=${encodeURIComponent(query)}`);
  return [status, error?.code, error?.details?.[0]?.field];
};
/** Later documents of the desk begin another segment of the index. */
const closeSegments = () => sql('UPDATE search_segment SET open = false WHERE workspace_id = $1', [desk.workspaceId]);

describe('Search', () => {
  it('An agent finds a message by its words, with its conversation and the parts that match.', async () => {
    const id = await conversation();
    const messageId = await send(id, 'Your refund of 25 € is on its way.');
    await indexed(world);
    const [item] = await search(owner, 'refund way');
    expect(item).toMatchObject({
      type: 'message',
      message: { id: messageId, content: 'Your refund of 25 € is on its way.' },
      conversation: { id, contact: { name: null } },
    });
    expect(highlightsOf(item)).toEqual(['refund', 'way']);
  });

  it('An agent finds a conversation by subject, number and answers to the pre-chat form, and a contact by name, e-mail and phone.', async () => {
    await owner.patch(`/v1/channels/${desk.channelId}`, {
      widget_config: {
        pre_chat_form: { enabled: true, fields: [{ key: 'order', label: 'Order', type: 'text', required: false }] },
      },
    });
    const visitor = await world.visitor(desk, {
      name: 'Zoë Lindqvist',
      email: 'zoe@post.example',
      phone: '+49 30 9876',
    });
    const started = await visitor.api.post('/v1/widget/conversations', {
      message: { content: 'Hello?' },
      pre_chat: { order: 'Bestellung A-7781' },
    });
    const { id, number } = started.data.conversation as { id: string; number: number };
    await owner.patch(`/v1/conversations/${id}`, { subject: 'Broken teapot' });
    await indexed(world);
    const byConversation = await search(owner, 'teapot');
    expect(byConversation).toMatchObject([{ type: 'conversation', conversation: { id } }]);
    expect(byConversation[0]).not.toHaveProperty('contact');
    expect(highlightsOf((await search(owner, 'bestellung 7781'))[0])).toEqual(['Bestellung', '7781']);
    expect(
      (await search(owner, `#${number}${number < 10 ? ' teapot' : ''}`)).map(({ type }) => type as string),
    ).toEqual(['conversation']);
    for (const query of ['zoe lind', 'zoe@post.example', '9876', 'LINDQVIST post']) {
      const items = await search(owner, query);
      expect(items).toMatchObject([{ type: 'contact', conversation: null, contact: { id: visitor.contactId } }]);
    }
  });

  it('Results are sorted newest first over all types, and pages of any size have each exactly once, over all segments.', async () => {
    const id = await conversation(desk.widgetToken, 'apple 0');
    for (let index = 1; index < 9; index += 1) {
      await send(id, `apple ${index}`);
      await indexed(world);
      if (index % 3 === 0) await closeSegments();
      if (index === 4) await owner.patch(`/v1/conversations/${id}`, { subject: 'An apple' });
    }
    await owner.post('/v1/contacts', { name: 'Apple Smith' });
    await indexed(world);
    const all = ['Apple Smith', ...[8, 7, 6, 5, 4, 3, 2, 1, 0].map(index => `apple ${index}`), 'An apple'];
    expect(await found('apple')).toEqual(all);
    for (const limit of ['1', '2', '4', '11']) expect(await found('apple', { limit })).toEqual(all);
    const { data } = await owner.get('/v1/search?query=apple&limit=3');
    await send(id, 'apple 9');
    await indexed(world);
    const rest = await owner.get(`/v1/search?query=apple&cursor=${data.next_cursor}`);
    expect((rest.data.items as Json[]).map(titleOf)).toEqual(all.slice(3));
  });

  it('A query can be limited to types, a channel and a span of time.', async () => {
    const shop = await world.channel(desk);
    const here = await conversation(desk.widgetToken, 'pear here');
    const there = await conversation(shop.widget_token as string, 'pear there');
    await owner.patch(`/v1/conversations/${there}`, { subject: 'pear subject' });
    const inShop = await world.visitor({ widgetToken: shop.widget_token as string }, { name: 'Pear Contact' });
    const note = await send(here, 'pear later');
    await indexed(world);
    expect(await found('pear', { in: 'contacts' })).toEqual(['Pear Contact']);
    expect(await found('pear', { in: 'contacts,conversations' })).toEqual(['Pear Contact', 'pear subject']);
    expect(await found('pear', { channel_id: shop.id as string })).toEqual([
      'Pear Contact',
      'pear there',
      'pear subject',
    ]);
    expect(await found('pear', { channel_id: inShop.contactId })).toEqual([]);
    const [{ message }] = (await search(owner, '"pear later"')) as [Json];
    expect(message.id).toBe(note);
    const at = message.created_at as string;
    expect(await found('pear', { from: at })).toEqual(['pear later']);
    expect(await found('pear', { to: at, in: 'messages' })).toEqual(['pear there', 'pear here']);
    expect((await owner.get('/v1/search?query=pear&in=notes')).error.code).toBe('validation_failed');
  });

  it.each([
    ['Straße über', 'Die Straße ist über 5 km lang.'],
    ['посылка', 'Где моя Посылка?'],
    ['طلب', 'أين طلبي؟ رقم الطَّلَب ٤٢'],
    ['订单', '我的订单在哪里？'],
    ['配送状', 'ご注文の配送状況をお知らせします。'],
    ['พัสดุ', 'พัสดุของฉันอยู่ที่ไหน'],
    ['배송', '배송 조회 부탁드립니다'],
    ['🎉', 'Thank you 🎉🎉'],
    ['👍🏿', 'Great 👍'],
  ])('An agent finds %s in a message of its language: %s', async (query, content) => {
    const id = await conversation();
    await send(id, 'Something else');
    await send(id, content);
    await indexed(world);
    const items = await search(owner, query);
    expect(items.map(titleOf)).toEqual([content]);
    expect(highlightsOf(items[0]).length).toBeGreaterThan(0);
  });

  it('A message longer than PostgreSQL stores positions for is found by its last phrase, and shown in 300 units around it.', async () => {
    const long = `${'漢字'.repeat(9_000)} the very end`;
    const id = await conversation();
    await send(id, long);
    await send(id, `${'again '.repeat(400)}and the end`);
    await indexed(world);
    const items = await search(owner, '"the very end"');
    expect(items).toHaveLength(1);
    expect(items[0].message.content).toBe(long.slice(-300));
    expect(highlightsOf(items[0])).toEqual(['the very end']);
    expect(await search(owner, '"the end" -"very end"')).toHaveLength(1);
    expect(await search(owner, '字漢字 -again')).toHaveLength(1);
  });

  it('A query of one character, of 201 characters, of exclusions or of signs is refused.', async () => {
    expect(await refusal('a')).toEqual([400, 'validation_failed', 'query']);
    expect(await refusal('x'.repeat(201))).toEqual([400, 'validation_failed', 'query']);
    expect(await refusal('-refund -"on its way"')).toEqual([400, 'query_too_broad', undefined]);
    expect(await refusal('?!')).toEqual([400, 'query_too_broad', undefined]);
    expect((await owner.get('/v1/search?query=refund&cursor=e30')).error.code).toBe('cursor_invalid');
    expect((await owner.get('/v1/search?query=refund')).data).toEqual({ items: [], next_cursor: null });
  });

  it('A query of up to 200 characters of signs is answered, or refused as too broad, and one with U+0000 is refused', async () => {
    const queries: [query: string, status: number, found: number][] = [
      ['"'.repeat(199) + 'cat', 400, 0],
      ['"'.repeat(196) + 'cat', 200, 1],
      [`cat & !dog | (fish <2> bird):*AB \\ ' '' "a<->b" ${'!(&|'.repeat(30)}`, 200, 0],
      [`${'-'.repeat(150)}cat -- -"-`, 400, 0],
      [`${'or '.repeat(60)}cat`, 200, 1],
      ['a '.repeat(99), 200, 1],
      ['👩‍👩‍👧‍👦🏳️‍🌈❤️‍🔥'.repeat(9), 200, 0],
      [`cat${'\u200d\u0301\ufe0f'.repeat(60)}`, 200, 1],
      ['cat \ufffd'.repeat(30), 200, 1],
      // letters that are eighteen letters in plain form
      ['\ufdfa '.repeat(100), 200, 0],
      ['cat\u0001\u0007\u001b\u007f\u2028\u202e', 200, 1],
      ['cat\0dog', 400, 0],
    ];
    await send(await conversation(), 'a cat');
    await indexed(world);
    for (const [query, status, hits] of queries) {
      const answer = await owner.get(`/v1/search?query=${encodeURIComponent(query)}`);
      const items = (answer.data?.items ?? []) as Json[];
      expect([query, answer.status, items.length]).toEqual([query, status, hits]);
    }
  });

  it('A cursor of another list, or with a forged position, is refused.', async () => {
    const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    for (const cursor of [
      forged('search', 'x', 'message', desk.channelId),
      forged('search', -1, 'message', desk.channelId),
      forged('search', Number.MAX_SAFE_INTEGER, 'message', desk.channelId),
      forged('search', 1, 'message', 'x'),
      forged('contacts', desk.channelId),
    ]) {
      expect((await owner.get(`/v1/search?query=refund&cursor=${cursor}`)).error.code).toBe('cursor_invalid');
    }
  });
});

describe('Search after changes', () => {
  it('An edited message is found by its new words alone, at once by none of the old ones.', async () => {
    const id = await conversation();
    const messageId = await send(id, 'The banana is ripe');
    await indexed(world);
    await owner.patch(`/v1/conversations/${id}/messages/${messageId}`, { content: 'The cherry is ripe' });
    expect(await found('banana')).toEqual([]);
    await indexed(world);
    expect(await found('banana')).toEqual([]);
    expect(await found('cherry')).toEqual(['The cherry is ripe']);
  });

  it('An unsent message is not found from its commit on, and then leaves the index.', async () => {
    const id = await conversation();
    const messageId = await send(id, 'My secret is quince');
    await indexed(world);
    await owner.delete(`/v1/conversations/${id}/messages/${messageId}`);
    expect(await found('quince')).toEqual([]);
    await indexed(world);
    expect(await sql('SELECT FROM search_document WHERE id = $1', [messageId])).toEqual([]);
  });

  it('Nothing of an erased person is found from the commit on, and nothing stays in the index.', async () => {
    const visitor = await world.visitor(desk, { name: 'Wilma Quitte' });
    const id = (await world.conversation(visitor, 'quitte one')).id as string;
    await owner.patch(`/v1/conversations/${id}`, { subject: 'quitte subject' });
    await send(id, 'quitte two');
    await indexed(world);
    expect(await found('quitte')).toHaveLength(4);
    await owner.delete(`/v1/contacts/${visitor.contactId}`);
    expect(await found('quitte')).toEqual([]);
    await erased(world);
    await indexed(world);
    expect(await sql(`SELECT id FROM search_document WHERE terms::text LIKE '%quitte%'`)).toEqual([]);
  });

  it('A merged contact is found by the details of the remaining one.', async () => {
    const [one, two] = [
      await owner.post('/v1/contacts', { name: 'Mara Medlar' }),
      await owner.post('/v1/contacts', { email: 'mara@medlar.example' }),
    ];
    await indexed(world);
    expect(await search(owner, 'medlar')).toHaveLength(2);
    await owner.post(`/v1/contacts/${one.data.id}/merge`, { from_id: two.data.id });
    expect(await found('"medlar example"')).toEqual([]);
    await indexed(world);
    expect(await found('"medlar example"')).toEqual(['Mara Medlar']);
    expect(await search(owner, 'medlar')).toHaveLength(1);
    expect(await sql('SELECT FROM search_document WHERE id = $1', [two.data.id])).toEqual([]);
  });

  it('Conversations of a deleted channel are still found.', async () => {
    const shop = await world.channel(desk);
    await conversation(shop.widget_token as string, 'a lychee');
    await indexed(world);
    await owner.delete(`/v1/channels/${shop.id}`);
    expect(await found('lychee')).toEqual(['a lychee']);
  });

  it('A timeline entry is not found, and a renamed contact is found by its new name.', async () => {
    const contact = await owner.post('/v1/contacts', { name: 'Olive Old' });
    const id = await conversation();
    await owner.post(`/v1/conversations/${id}/resolve`, {});
    await owner.patch(`/v1/contacts/${contact.data.id}`, { name: 'Olive New' });
    await indexed(world);
    expect(await found('resolved')).toEqual([]);
    expect(await found('old')).toEqual([]);
    expect(await found('olive new')).toEqual(['Olive New']);
  });
});

describe('The scope of a search', () => {
  it('A member finds only what its channels have, and a changed scope counts at once.', async () => {
    const shop = await world.channel(desk);
    const limited = await world.colleague(desk, { channel_ids: [shop.id as string] });
    await conversation(desk.widgetToken, 'fig here');
    await conversation(shop.widget_token as string, 'fig there');
    await world.visitor(desk, { name: 'Fig Here' });
    await world.visitor({ widgetToken: shop.widget_token as string }, { name: 'Fig There' });
    await indexed(world);
    expect(await found('fig', {}, limited.api)).toEqual(['Fig There', 'fig there']);
    const key = await world.apiKey(desk);
    await key.patch(`/v1/workspace/members/${limited.memberId}`, { channel_ids: [desk.channelId] });
    expect(await found('fig', {}, limited.api)).toEqual(['Fig Here', 'fig here']);
    await key.patch(`/v1/workspace/members/${limited.memberId}`, { channel_ids: [] });
    expect(await found('fig', {}, limited.api)).toEqual([]);
  });

  it('A private note is found by agents alone: no visitor and no other workspace receives a word of it.', async () => {
    const visitor = await world.visitor(desk);
    const id = (await world.conversation(visitor)).id as string;
    await send(id, 'The contact is a durian', { private: true });
    await indexed(world);
    expect(await found('durian')).toEqual(['The contact is a durian']);
    const foreign = await world.desk();
    expect(await found('durian', {}, foreign.owner.api)).toEqual([]);
    const refused = await visitor.api.get('/v1/search?query=durian');
    expect([refused.status, refused.error.code]).toEqual([401, 'agent_token_required']);
    const views = [
      await visitor.api.get('/v1/widget/conversations'),
      await visitor.api.get(`/v1/widget/conversations/${id}/messages`),
    ];
    expect(JSON.stringify(views.map(({ body }) => body))).not.toContain('durian');
  });

  it('A key finds contacts only with contacts:read, and nothing without conversations:read.', async () => {
    await conversation(desk.widgetToken, 'guava chat');
    await owner.post('/v1/contacts', { name: 'Guava Contact' });
    await indexed(world);
    const withScopes = async (...scopes: string[]) => world.apiKey(desk, { scopes });
    expect(await found('guava', {}, await withScopes('conversations:read'))).toEqual(['guava chat']);
    expect(await found('guava', {}, await withScopes('conversations:read', 'contacts:read'))).toHaveLength(2);
    expect((await (await withScopes('contacts:read')).get('/v1/search?query=guava')).status).toBe(403);
  });

  it('An agent limited to some channels does not see the external_id of an unverified contact.', async () => {
    const limited = await world.colleague(desk, { channel_ids: [desk.channelId] });
    await world.visitor(desk, { name: 'Kiwi', external_id: 'kiwi-1' });
    await indexed(world);
    const idOf = async (caller: Caller) => (await search(caller, 'kiwi'))[0]?.contact.external_id as string | null;
    expect(await idOf(owner)).toBe('kiwi-1');
    expect(await idOf(limited.api)).toBeNull();
    expect(await search(owner, 'kiwi-1')).toEqual([]);
  });
});
