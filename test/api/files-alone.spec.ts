import { beforeEach, describe, expect, it } from '@jest/globals';
import { MESSAGE_EVENTS } from '../../src/modules/messages/messages.events.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import { download, upload, uploadAsVisitor } from '../support/files.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import type { Visitor } from '../support/world.js';

let visitor: Visitor;
let id: string;
let file: Json;
beforeEach(async () => {
  visitor = await world.visitor(desk, { name: 'Vera', email: 'vera@example.com' });
  file = (await uploadAsVisitor(visitor, 'order;state\n4711;sent\n', 'order 4711.csv')).data;
  const message = { attachment_ids: [file.id] };
  id = ((await visitor.api.post('/v1/widget/conversations', { message })).data.conversation as Json).id as string;
});

const opens = async (url: unknown) => (await download(world, url as string)).status === 200;
const stored = async () => {
  const rows = await world.app.database.query<{ text: string }>(
    `SELECT payload::text AS text FROM event WHERE workspace_id = $1 AND payload ? 'message'`,
    [desk.workspaceId],
  );
  return rows.map(({ text }) => text);
};

describe('A message of a file alone', () => {
  it('It begins a conversation, whose preview is the name of the file, for agents and the visitor.', async () => {
    const lists: [Caller, string][] = [
      [owner, '/v1/conversations'],
      [visitor.api, '/v1/widget/conversations'],
    ];
    for (const [api, path] of lists) {
      const [shown] = (await api.get(path)).data.items as Json[];
      expect(shown.last_message.preview).toBe('📎 order 4711.csv');
    }
  });

  it('A transcript names it in each format, for agents and the visitor, without a URL.', async () => {
    for (const format of ['json', 'text', 'html']) {
      for (const [api, path] of [
        [owner, `/v1/conversations/${id}`],
        [visitor.api, `/v1/widget/conversations/${id}`],
      ] as const) {
        const { content } = (await api.get(`${path}/transcript?format=${format}`)).data as { content: string };
        expect(content).toContain('order 4711.csv');
        expect(content).not.toMatch(/signature|\/files\//);
      }
    }
  });

  it('A transcript in JSON has id, name, size and type of each file, for agents and the visitor, and no more.', async () => {
    for (const [api, path] of [
      [owner, `/v1/conversations/${id}`],
      [visitor.api, `/v1/widget/conversations/${id}`],
    ] as const) {
      const { content } = (await api.get(`${path}/transcript?format=json`)).data as { content: string };
      const { messages } = JSON.parse(content) as { messages: Json[] };
      const files = [{ id: file.id, name: 'order 4711.csv', size: 22, content_type: 'text/csv' }];
      expect(messages[0].attachments).toEqual(files);
      expect(messages[0].files).toEqual(['order 4711.csv']);
    }
  });

  it("The export of its contact has the file's facts and a URL that opens it; after the erasure nothing does.", async () => {
    const { messages } = (await owner.post(`/v1/contacts/${visitor.contactId}/export`)).data as { messages: Json[] };
    const [shown] = messages[0].attachments as Json[];
    expect(shown).toMatchObject({ id: file.id, name: 'order 4711.csv', content_type: 'text/csv', size: 22 });
    expect(await opens(shown.url)).toBe(true);
    await owner.delete(`/v1/contacts/${visitor.contactId}`);
    expect(await opens(shown.url)).toBe(false);
    const { items } = (await owner.get(`/v1/conversations/${id}/messages`)).data as { items: Json[] };
    expect(JSON.stringify(items)).not.toContain('order 4711');
    expect((await owner.get(`/v1/attachments/${file.id as string}`)).status).toBe(404);
  });

  it('The event log shows it with a URL that opens it, and stores none.', async () => {
    // the log shows an event once no older transaction of the cluster is open
    const created = await eventually(async () => {
      const { items } = (await owner.get('/v1/events?limit=200')).data as { items: Json[] };
      return items.find(({ type }) => type === 'message.created');
    });
    expect(await opens(created.data.message.attachments[0].url)).toBe(true);
    const texts = await stored();
    expect(texts.filter(text => text.includes('order 4711.csv'))).toHaveLength(1);
    expect(texts.filter(text => /signature|\/files\//.test(text))).toEqual([]);
  });

  it('The public view of its event has the id, name, size and type, and no URL.', async () => {
    const [text = '{}'] = await stored();
    const shown = MESSAGE_EVENTS['message.created'].public?.({ payload: JSON.parse(text) as never } as never) as Json;
    expect(shown.message.content).toBeNull();
    const facts = { id: file.id, name: 'order 4711.csv', content_type: 'text/csv', size: 22 };
    expect(shown.message.attachments).toEqual([expect.objectContaining(facts)]);
    expect(JSON.stringify(shown)).not.toMatch(/signature|\/files\//);
  });

  it('Unsending it scrubs the name from the event log and the preview.', async () => {
    const { id: ours } = (await upload(owner, 'secret', 'salary list.txt')).data;
    const sent = await owner.post(`/v1/conversations/${id}/messages`, { attachment_ids: [ours] });
    await owner.delete(`/v1/conversations/${id}/messages/${sent.data.id as string}`);
    expect((await stored()).filter(text => text.includes('salary'))).toEqual([]);
    const { last_message } = (await owner.get(`/v1/conversations/${id}`)).data as Json;
    expect(last_message.preview).not.toContain('salary');
  });
});

describe('A file of another workspace', () => {
  it('Nobody of another workspace reads, sends or names it, and no id of a message reveals it.', async () => {
    const other = await world.desk();
    const stranger = await world.visitor(other);
    const key = await world.apiKey(other);
    const { id: talk } = await world.conversation(stranger);
    const { id: unsent } = (await upload(owner, 'unsent')).data;
    for (const foreign of [file.id, unsent] as string[]) {
      expect((await other.owner.api.get(`/v1/attachments/${foreign}`)).status).toBe(404);
      expect((await key.get(`/v1/attachments/${foreign}`)).status).toBe(404);
      expect((await stranger.api.get(`/v1/widget/attachments/${foreign}`)).status).toBe(404);
      const body = { attachment_ids: [foreign] };
      const sends = [
        await other.owner.api.post(`/v1/conversations/${talk as string}/messages`, body),
        await key.post(`/v1/conversations/${talk as string}/messages`, { ...body, member_id: other.owner.memberId }),
        await stranger.api.post(`/v1/widget/conversations/${talk as string}/messages`, body),
      ];
      expect(sends.map(({ error }) => error.code as string)).toEqual(Array(3).fill('attachment_unavailable'));
    }
    expect((await owner.get(`/v1/attachments/${unsent as string}`)).status).toBe(200);
  });

  it('A signature of one file opens no other, and a thumbnail’s opens no file.', async () => {
    const mine = new URL(file.url as string);
    const { id: other } = (await upload(owner, 'other')).data;
    const swapped = mine.href.replace(file.id as string, other as string);
    expect((await download(world, swapped)).status).toBe(403);
    expect((await download(world, mine.href.replace('variant=file', 'variant=thumbnail'))).status).toBe(403);
    expect((await download(world, `${mine.href}&variant=file`)).status).toBe(403);
  });
});
