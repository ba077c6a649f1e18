import { describe, expect, it } from '@jest/globals';
import { desk, owner, world } from '../support/desk-for-each.js';
import { newId } from '../../src/kernel/ids.js';
import type { Json } from '../support/json.js';

const RESERVED = ['event', 'auto', 'mentions', 'draft_id', 'truncated'];

async function begin(): Promise<{ id: string; path: string; visitor: Awaited<ReturnType<typeof world.visitor>> }> {
  const visitor = await world.visitor(desk);
  const id = (await world.conversation(visitor)).id as string;
  return { id, path: `/v1/conversations/${id}/messages`, visitor };
}
const refusal = ({ status, error }: { status: number; error?: { code: string } }) => [status, error?.code];

describe('Reserved metadata', () => {
  it.each(RESERVED)('No agent, API key or visitor can send `%s` in a public message (400).', async key => {
    const { id, path, visitor } = await begin();
    const metadata = { [key]: key === 'mentions' ? [desk.owner.memberId] : 'x' };
    const backend = await world.apiKey(desk);
    const message = { content: 'Hello', metadata };
    const refused = [
      await owner.post(path, message),
      await backend.post(path, { ...message, member_id: desk.owner.memberId }),
      await visitor.api.post(`/v1/widget/conversations/${id}/messages`, message),
      await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { ...message, private: true }),
      await visitor.api.post('/v1/widget/conversations', { message }),
      await owner.post('/v1/conversations', { contact_id: visitor.contactId, channel_id: desk.channelId, message }),
    ];
    for (const answer of refused) expect(refusal(answer)).toEqual([400, 'metadata_reserved']);
    expect((await owner.get(path)).data.items).toHaveLength(1);
  });

  it.each(RESERVED.filter(key => key !== 'mentions'))('A note cannot carry `%s` either (400).', async key => {
    const { path } = await begin();
    const refused = await owner.post(path, { content: 'Note', private: true, metadata: { [key]: 'x' } });
    expect(refusal(refused)).toEqual([400, 'metadata_reserved']);
  });

  it('Other keys of metadata pass untouched.', async () => {
    const { path } = await begin();
    const metadata = { order: 4711, Event: 'x', nested: { event: 'y' } };
    expect((await owner.post(path, { content: 'Hello', metadata })).data.metadata).toEqual(metadata);
  });
});

describe('A mention', () => {
  const note = (path: string, mentions: unknown, body: object = {}) =>
    owner.post(path, { content: 'Please look', private: true, metadata: { mentions, order: 1 }, ...body });

  it('A note names each mentioned member once.', async () => {
    const { path } = await begin();
    const ada = await world.colleague(desk);
    const sent = await note(path, [ada.memberId, desk.owner.memberId, ada.memberId]);
    expect(sent.status).toBe(201);
    expect(sent.data.metadata).toEqual({ mentions: [ada.memberId, desk.owner.memberId], order: 1 });
  });

  it('Somebody who is no active member with access to the conversation is refused (400 mention_invalid).', async () => {
    const { path } = await begin();
    const [foreign, other] = [await world.desk(), await world.channel(desk)];
    const gone = await world.colleague(desk);
    await owner.post(`/v1/workspace/members/${gone.memberId}/deactivate`);
    const elsewhere = await world.colleague(desk, { channel_ids: [other.id] });
    const invalid: unknown[] = [
      [newId()],
      [foreign.owner.memberId],
      [gone.memberId],
      [elsewhere.memberId],
      [desk.owner.memberId, elsewhere.memberId],
      Array.from({ length: 51 }, newId),
      'everybody',
      ['everybody'],
      [null],
      { 0: desk.owner.memberId },
      null,
    ];
    for (const mentions of invalid) expect(refusal(await note(path, mentions))).toEqual([400, 'mention_invalid']);
    expect((await owner.get(path)).data.items).toHaveLength(1);
  });

  it('A note that was sent before is answered again, even if its mention is no longer valid.', async () => {
    const { path } = await begin();
    const ada = await world.colleague(desk);
    const first = await note(path, [ada.memberId], { client_message_id: 'n-1' });
    await owner.post(`/v1/workspace/members/${ada.memberId}/deactivate`);
    const second = await note(path, [ada.memberId], { client_message_id: 'n-1' });
    expect([second.status, second.data.id]).toEqual([200, first.data.id]);
  });

  it('A mention is no part of what the visitor sees.', async () => {
    const { id, path, visitor } = await begin();
    const page = await world.visitorSocket(visitor);
    await note(path, [desk.owner.memberId]);
    await owner.post(path, { content: 'Hello' });
    await page.next('message.created', frame => (frame.data.message as Json).content === 'Hello');
    const shown = (await visitor.api.get(`/v1/widget/conversations/${id}/messages`)).data;
    expect(JSON.stringify([shown, page.frames])).not.toContain('mentions');
  });
});
