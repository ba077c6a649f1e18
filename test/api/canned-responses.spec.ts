import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CannedResponseRecord } from '../../src/modules/canned-responses/index.js';
import { countsOf, race } from '../support/race.js';
import type { Agent, Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

interface Listing {
  items: CannedResponseRecord[];
  next_cursor: string | null;
}

const PATH = '/v1/canned-responses';
const THANKS = { short_code: 'thanks', title: 'Thanks', content: 'Thank you for writing.' };

describe('Canned responses', () => {
  let world: World;
  let desk: Desk;
  let agent: Agent;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    desk = await world.desk();
    agent = desk.owner;
  });

  const createResponse = async (body: object = {}): Promise<CannedResponseRecord> => {
    const made = await agent.api.post<CannedResponseRecord>(PATH, { ...THANKS, ...body });
    expect(made.status).toBe(201);
    return made.data;
  };
  const shortCodes = (listing: Listing) => listing.items.map(item => item.short_code);
  const list = async (query: Record<string, string> = {}) =>
    (await agent.api.get<Listing>(`${PATH}?${new URLSearchParams(query).toString()}`)).data;

  describe('Storing canned responses', () => {
    it('An agent creates a canned response, which is broadcast to the workspace', async () => {
      agent = await world.colleague(desk);
      const inbox = await world.agentSocket(desk.owner);
      const made = await createResponse({ tags: ['polite', 'short'] });
      expect(made).toEqual({
        id: made.id,
        ...THANKS,
        tags: ['polite', 'short'],
        created_by: agent.memberId,
        usage_count: 0,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        updated_at: made.created_at,
      });
      expect((await inbox.next('canned_response.created')).data).toEqual(made);
      expect((await desk.owner.api.get(`${PATH}/${made.id}`)).data).toEqual(made);
      await inbox.close();
    });

    it('A key creates a canned response without an author', async () => {
      const key = await world.apiKey(desk);
      expect((await key.post(PATH, THANKS)).data).toMatchObject({ created_by: null, tags: [] });
    });

    it('An agent limited to some channels can read and create canned responses of the workspace', async () => {
      const limited = await world.colleague(desk, { channel_ids: [] });
      const made = await createResponse();
      expect((await limited.api.get(`${PATH}/${made.id}`)).data).toEqual(made);
      expect((await limited.api.post(PATH, { ...THANKS, short_code: 'other' })).status).toBe(201);
    });

    it('A canned response update keeps the fields that it does not name', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const made = await createResponse({ tags: ['polite'] });
      const changed = await agent.api.patch<CannedResponseRecord>(`${PATH}/${made.id}`, { content: 'Thanks!' });
      expect(changed.data).toEqual({ ...made, content: 'Thanks!', updated_at: changed.data.updated_at });
      expect((await inbox.next('canned_response.updated')).data).toEqual(changed.data);
      const rest = { short_code: 'ta', title: 'Ta', tags: [] };
      expect((await agent.api.patch(`${PATH}/${made.id}`, rest)).data).toMatchObject({ ...rest, content: 'Thanks!' });
      expect((await agent.api.get(`${PATH}/${made.id}`)).data).toMatchObject(rest);
      await inbox.close();
    });

    it('A deleted canned response gets 404 on every route and is broadcast', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const made = await createResponse();
      const deleted = await agent.api.delete(`${PATH}/${made.id}`);
      expect([deleted.status, deleted.data]).toEqual([200, { id: made.id, deleted: true }]);
      expect((await inbox.next('canned_response.deleted')).data.id).toBe(made.id);
      for (const gone of [
        await agent.api.delete(`${PATH}/${made.id}`),
        await agent.api.get(`${PATH}/${made.id}`),
        await agent.api.patch(`${PATH}/${made.id}`, { title: 'Back' }),
      ]) {
        expect([gone.status, gone.error.code]).toEqual([404, 'not_found']);
      }
      await inbox.close();
    });

    it('Of concurrent deletions of a canned response one succeeds, the others get 404', async () => {
      const made = await createResponse();
      const answers = await race(8, () => agent.api.delete(`${PATH}/${made.id}`));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 404: 7 });
    });

    it('Another workspace cannot list, read, change, delete or render a canned response (404)', async () => {
      const made = await createResponse();
      const stranger = (await world.desk()).owner.api;
      expect((await stranger.get<Listing>(PATH)).data.items).toEqual([]);
      const conversation = await world.conversation(await world.visitor(desk));
      for (const answer of [
        await stranger.get(`${PATH}/${made.id}`),
        await stranger.patch(`${PATH}/${made.id}`, { title: 'Mine' }),
        await stranger.delete(`${PATH}/${made.id}`),
        await stranger.post(`${PATH}/${made.id}/render`, { conversation_id: conversation.id }),
      ]) {
        expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
      }
      expect((await agent.api.get(`${PATH}/${made.id}`)).data).toEqual(made);
    });

    it('A key with canned-responses:read cannot create or delete canned responses (403)', async () => {
      const made = await createResponse();
      const reader = await world.apiKey(desk, { scopes: ['canned-responses:read'] });
      expect((await reader.get(`${PATH}/${made.id}`)).status).toBe(200);
      expect((await reader.post(PATH, { ...THANKS, short_code: 'no' })).status).toBe(403);
      expect((await reader.delete(`${PATH}/${made.id}`)).status).toBe(403);
    });

    it('A creation repeated with its Idempotency-Key creates one canned response', async () => {
      const key = { 'Idempotency-Key': unique('key') };
      const first = await agent.api.post(PATH, THANKS, key);
      const again = await agent.api.post(PATH, THANKS, key);
      expect(again.data).toEqual(first.data);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect((await list()).items).toHaveLength(1);
    });
  });

  describe('Short codes of canned responses', () => {
    it('A short code is stored in lower case and is unique in any case (409)', async () => {
      const made = await createResponse({ short_code: 'Thank_You-2' });
      expect(made.short_code).toBe('thank_you-2');
      const duplicate = await agent.api.post(PATH, { ...THANKS, short_code: 'THANK_YOU-2' });
      expect([duplicate.status, duplicate.error.code]).toEqual([409, 'short_code_taken']);
    });

    it('A canned response cannot be created or updated with the short code of another one (409)', async () => {
      await createResponse();
      const other = await createResponse({ short_code: 'other' });
      const changed = await agent.api.patch(`${PATH}/${other.id}`, { short_code: 'Thanks' });
      expect([changed.status, changed.error.code]).toEqual([409, 'short_code_taken']);
      expect((await agent.api.get(`${PATH}/${other.id}`)).data).toEqual(other);
      expect((await agent.api.patch(`${PATH}/${other.id}`, { short_code: 'OTHER', title: 'Same code' })).status).toBe(
        200,
      );
    });

    it('Two workspaces can use the same short code', async () => {
      await createResponse();
      expect((await (await world.desk()).owner.api.post(PATH, THANKS)).status).toBe(201);
    });

    it('A short code is free again after its canned response was deleted', async () => {
      const made = await createResponse();
      await agent.api.delete(`${PATH}/${made.id}`);
      await createResponse();
    });

    it('Of 12 concurrent creations with one short code exactly one succeeds, the others get 409', async () => {
      const answers = await race(12, () => agent.api.post(PATH, THANKS));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 11 });
      const refusals = answers.filter(({ status }) => status === 409);
      expect(new Set(refusals.map(({ error }) => error.code))).toEqual(new Set(['short_code_taken']));
      expect((await list()).items).toHaveLength(1);
    });

    it('Of concurrent updates to one short code exactly one succeeds, the others get 409', async () => {
      const mine = await race(6, index => createResponse({ short_code: `mine-${index}` }));
      const answers = await race(6, index => agent.api.patch(`${PATH}/${mine[index]?.id}`, { short_code: 'popular' }));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 5 });
    });
  });

  describe('Validating canned responses', () => {
    const refused: [string, object, string][] = [
      ['a short code with a space', { short_code: 'two words' }, 'short_code'],
      ['a short code beyond ASCII', { short_code: 'grüße' }, 'short_code'],
      ['an empty short code', { short_code: '' }, 'short_code'],
      ['a short code of 51 characters', { short_code: 'a'.repeat(51) }, 'short_code'],
      ['a short code of another type', { short_code: 7 }, 'short_code'],
      ['no title', { title: undefined }, 'title'],
      ['a title of 201 characters', { title: 'a'.repeat(201) }, 'title'],
      ['no content', { content: undefined }, 'content'],
      ['empty content', { content: '' }, 'content'],
      ['content of 20,001 characters', { content: 'a'.repeat(20_001) }, 'content'],
      ['content with U+0000', { content: 'a\0b' }, 'content'],
      ['21 tags', { tags: Array.from({ length: 21 }, (_nothing, index) => `tag ${index}`) }, 'tags'],
      ['a tag of 51 characters', { tags: ['a'.repeat(51)] }, 'tags'],
      ['tags that are null', { tags: null }, 'tags'],
    ];

    it.each(refused)(
      'A canned response with %s is refused and the field is named (400)',
      async (_fault, body, field) => {
        const answer = await agent.api.post(PATH, { ...THANKS, ...body });
        expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
        expect(answer.error.details?.map(fault => fault.field)).toEqual([field]);
      },
    );

    it('A refused canned response names all invalid fields at once', async () => {
      const answer = await agent.api.post(PATH, { short_code: 'no good', tags: 'x' });
      expect(answer.error.details?.map(fault => fault.field).sort()).toEqual([
        'content',
        'short_code',
        'tags',
        'title',
      ]);
    });

    it('A canned response can have a short code of 50 characters, content of 20,000 and 20 tags of 50', async () => {
      const tags = Array.from({ length: 20 }, (_nothing, index) => `${index}`.padStart(50, 'x'));
      await createResponse({ short_code: 'a'.repeat(50), content: 'ü'.repeat(20_000), tags });
    });

    it.each(['short_code', 'title', 'content', 'tags'])(
      'A canned response update refuses null for %s (400)',
      async field => {
        const made = await createResponse();
        const answer = await agent.api.patch(`${PATH}/${made.id}`, { [field]: null });
        expect([answer.status, answer.error.details?.[0]?.field]).toEqual([400, field]);
      },
    );

    it('A creation ignores unknown fields and fields that only the service sets', async () => {
      const made = await createResponse({ usage_count: 99, id: 'mine', nonsense: true });
      expect(made).toMatchObject({ usage_count: 0 });
      expect(made.id).not.toBe('mine');
    });
  });

  describe('Listing canned responses', () => {
    it('Canned responses are listed by short code', async () => {
      for (const short_code of ['zebra', 'apple', '9th', 'mango-2', 'mango']) await createResponse({ short_code });
      expect(shortCodes(await list())).toEqual(['9th', 'apple', 'mango', 'mango-2', 'zebra']);
    });

    it('A search lists canned responses whose short code starts with the query first, then other matches', async () => {
      await createResponse({ short_code: 'a-refund', title: 'Money', content: 'None' });
      await createResponse({ short_code: 'refund-late', title: 'Late', content: 'Soon' });
      await createResponse({ short_code: 'refund', title: 'Money', content: 'Back' });
      await createResponse({ short_code: 'by-title', title: 'On REFUNDs', content: 'x' });
      await createResponse({ short_code: 'by-content', title: 'x', content: 'We refund you.' });
      await createResponse({ short_code: 'other', title: 'x', content: 'y' });
      const expected = ['refund', 'refund-late', 'a-refund', 'by-content', 'by-title'];
      expect(shortCodes(await list({ query: 'refund' }))).toEqual(expected);
      expect(shortCodes(await list({ query: 'ReFund' }))).toEqual(expected);
    });

    it('A search for canned responses takes the wildcards of LIKE literally', async () => {
      await createResponse({ short_code: 'under_score', content: '100% sure' });
      await createResponse({ short_code: 'understscore', content: '100 sure \\o/' });
      expect(shortCodes(await list({ query: 'under_' }))).toEqual(['under_score']);
      expect(shortCodes(await list({ query: '%' }))).toEqual(['under_score']);
      expect(shortCodes(await list({ query: '\\' }))).toEqual(['understscore']);
      expect(shortCodes(await list({ query: "'; --" }))).toEqual([]);
    });

    it.each<Record<string, string>>([{}, { query: 'e' }])(
      'Canned responses are paged without gaps or repeats while others are created: %j',
      async query => {
        for (let index = 0; index < 9; index += 1)
          await createResponse({ short_code: `${index % 2 ? 'e' : 'b'}-${index}-e` });
        const whole = shortCodes(await list(query));
        expect(whole).toHaveLength(9);
        const seen: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page: Listing = await list({ ...query, limit: '2', ...(cursor ? { cursor } : {}) });
          seen.push(...shortCodes(page));
          cursor = page.next_cursor;
          await createResponse({ short_code: `0-${seen.length}-new-e` });
        }
        expect(seen.filter(code => !code.endsWith('new-e'))).toEqual(whole);
        expect(new Set(seen).size).toBe(seen.length);
      },
    );

    const forged = [
      ['the name of another list', ['contacts', 0, 'a', '01960000-0000-7000-8000-000000000001']],
      [
        'a rank that is too large',
        ['canned-responses', 9_007_199_254_740_991, 'a', '01960000-0000-7000-8000-000000000001'],
      ],
      ['a malformed id', ['canned-responses', 0, 'a', 'b']],
    ] as const;
    it.each(forged)('A canned response cursor with %s is refused (400)', async (_fault, parts) => {
      const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
      const answer = await agent.api.get(`${PATH}?cursor=${cursor}`);
      expect([answer.status, answer.error.code]).toEqual([400, 'cursor_invalid']);
    });
  });

  describe('Rendering canned responses', () => {
    interface Rendering {
      content: string;
      missing: string[];
    }
    const render = (id: string, conversationId: string, as = agent.api) =>
      as.post<Rendering>(`${PATH}/${id}/render`, { conversation_id: conversationId });

    it('A canned response is rendered with the current names of contact, agent, channel and number', async () => {
      const channel = await world.channel(desk, { name: 'Web shop' });
      const visitor = await world.visitor({ widgetToken: channel.widget_token }, { name: 'Vera' });
      const conversation = await world.conversation(visitor);
      const made = await createResponse({
        content:
          'Hi {{contact.name|there}}, {{ agent.name }} here on #{{conversation.number}} at {{channel.name | us}}.',
      });
      const rendered = await render(made.id, conversation.id);
      expect(rendered.status).toBe(200);
      expect(rendered.data).toEqual({
        content: `Hi Vera, Olivia Owner here on #${conversation.number} at Web shop.`,
        missing: [],
      });
    });

    it('A variable without a value is rendered as its fallback, which can be empty', async () => {
      const conversation = await world.conversation(await world.visitor(desk));
      const made = await createResponse({ content: 'Hi {{contact.name|there}}{{contact.name|}}!' });
      expect((await render(made.id, conversation.id)).data).toEqual({ content: 'Hi there!', missing: [] });
    });

    it('A rendering lists each variable without value and fallback once and leaves it as written', async () => {
      const conversation = await world.conversation(await world.visitor(desk));
      const content =
        '{{contact.name}} {{ contact.name }} {{order.id}} {{constructor}} {{agent.name}} {{Contact.Name}} {{}}';
      const made = await createResponse({ content });
      expect((await render(made.id, conversation.id)).data).toEqual({
        content: content.replace('{{agent.name}}', 'Olivia Owner'),
        missing: ['contact.name', 'order.id', 'constructor'],
      });
    });

    it('A key renders a canned response without an agent name', async () => {
      const conversation = await world.conversation(await world.visitor(desk));
      const made = await createResponse({ content: '{{agent.name|The team}}, {{agent.name}}' });
      const rendered = await render(made.id, conversation.id, await world.apiKey(desk));
      expect(rendered.data).toEqual({ content: 'The team, {{agent.name}}', missing: ['agent.name'] });
    });

    it('A rendered name is not read as a template or as a replacement pattern', async () => {
      const visitor = await world.visitor(desk, { name: "{{agent.name}} $& $1 $'" });
      const conversation = await world.conversation(visitor);
      const made = await createResponse({ content: 'Hi {{contact.name}}' });
      expect((await render(made.id, conversation.id)).data.content).toBe("Hi {{agent.name}} $& $1 $'");
    });

    it('A rendering can be as long as its values make it', async () => {
      const visitor = await world.visitor(desk, { name: 'n'.repeat(200) });
      const conversation = await world.conversation(visitor);
      const long = await createResponse({ content: '{{contact.name}}'.repeat(1250) });
      expect((await render(long.id, conversation.id)).data.content).toBe('n'.repeat(250_000));
      const names = Array.from({ length: 2000 }, (_nothing, index) => `{{${lettersFor(index)}}}`);
      const odd = await createResponse({ short_code: 'odd', content: names.join('') });
      expect((await render(odd.id, conversation.id)).data.missing).toHaveLength(2000);
    });

    it('Each rendering counts as a use, also when renderings race with each other and with updates', async () => {
      const conversation = await world.conversation(await world.visitor(desk));
      const made = await createResponse();
      await Promise.all([
        race(20, () => render(made.id, conversation.id)),
        race(10, index => agent.api.patch(`${PATH}/${made.id}`, { title: `Title ${index}` })),
      ]);
      expect((await agent.api.get(`${PATH}/${made.id}`)).data.usage_count).toBe(20);
    });

    it('A key needs conversations:read to render a canned response, because it reveals the contact (403)', async () => {
      const conversation = await world.conversation(await world.visitor(desk, { name: 'Vera' }));
      const made = await createResponse({ content: '{{contact.name}}' });
      const narrow = await world.apiKey(desk, { scopes: ['canned-responses:write'] });
      const refused = await render(made.id, conversation.id, narrow);
      expect([refused.status, refused.error.code]).toEqual([403, 'forbidden']);
      const wide = await world.apiKey(desk, { scopes: ['canned-responses:read', 'conversations:read'] });
      expect((await render(made.id, conversation.id, wide)).data.content).toBe('Vera');
    });

    it('A canned response can be rendered only for a conversation that the caller can see (400)', async () => {
      const made = await createResponse();
      const elsewhere = await world.desk();
      const foreign = await world.conversation(await world.visitor(elsewhere));
      const limited = await world.colleague(desk, { channel_ids: [(await world.channel(desk)).id] });
      const outside = await world.conversation(await world.visitor(desk));
      for (const [caller, id] of [
        [agent.api, foreign.id],
        [limited.api, outside.id],
        [agent.api, 'nonsense'],
        [agent.api, null],
      ]) {
        const answer = await render(made.id, id, caller);
        expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
        expect(answer.error.details?.[0]?.field).toBe('conversation_id');
      }
      expect((await agent.api.get(`${PATH}/${made.id}`)).data.usage_count).toBe(0);
    });
  });
});

/** Returns a unique name of letters for each number: a, b, … z, ba, bb, … */
function lettersFor(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : lettersFor(Math.floor(index / 26)) + last;
}
