import { beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { desk, owner, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import { download, filesOf, removeDueFiles, upload, uploadAsVisitor, usedBytes } from '../support/files.js';
import type { Answer, Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import type { Visitor } from '../support/world.js';

const HOUR = 3_600;

const picture = () => sharp({ create: { width: 9, height: 6, channels: 3, background: '#2563eb' } });
const MP4 = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1');
const SHOWN_INLINE: [type: string, bytes: () => Buffer | Promise<Buffer>][] = [
  ['image/jpeg', () => picture().jpeg().toBuffer()],
  ['image/png', () => picture().png().toBuffer()],
  ['image/gif', () => picture().gif().toBuffer()],
  ['image/webp', () => picture().webp().toBuffer()],
  ['image/avif', () => picture().avif({ effort: 0 }).toBuffer()],
  ['audio/mpeg', () => Buffer.from('ID3\x04\0\0\0\0\0\0\xff\xfb\x90\0', 'latin1')],
  ['audio/wav', () => Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1')],
  ['audio/ogg', () => Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('OpusHead\x01')])],
  ['video/mp4', () => MP4],
  ['video/webm', () => Buffer.from('1a45dfa3874282847765626d', 'hex')],
];

let visitor: Visitor;
let conversation: string;
beforeEach(async () => {
  visitor = await world.visitor(desk);
  conversation = (await world.conversation(visitor)).id as string;
});

const messagesOf = (id: string) => `/v1/conversations/${id}/messages`;
const send = (body: object, api: Caller = owner) => api.post(messagesOf(conversation), body);
const sendAsVisitor = (body: object) => visitor.api.post(`/v1/widget${messagesOf(conversation).slice(3)}`, body);
const refusal = ({ status, error }: Answer<unknown>) => [status, (error as { code: string } | undefined)?.code];
const statusOf = async (url: string) => (await download(world, url)).status;

async function uploaded(bytes?: Buffer | string, name?: string): Promise<Json> {
  const answer = await upload(owner, bytes, name);
  expect(answer.status).toBe(201);
  return answer.data;
}

describe('An upload', () => {
  it('A member uploads a file and gets its facts with a URL that opens it.', async () => {
    const file = await uploaded('Hello, world', 'greeting.txt');
    expect(file).toMatchObject({ name: 'greeting.txt', content_type: 'text/plain', size: 12 });
    expect(file.url).toContain(`/files/${file.id as string}/greeting.txt?`);
    const opened = await download(world, file.url as string);
    expect([opened.status, (opened.body as Buffer).toString()]).toEqual([200, 'Hello, world']);
  });

  it('A file keeps its bytes, whatever they are.', async () => {
    const bytes = Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)]);
    const file = await uploaded(bytes, 'empty.zip');
    expect(file).toMatchObject({ content_type: 'application/zip', size: bytes.length });
    expect((await download(world, file.url as string)).body).toEqual(bytes);
  });

  it('A body that is not multipart is refused (415).', async () => {
    expect(refusal(await owner.post('/v1/attachments', { file: 'x' }))).toEqual([415, 'unsupported_media_type']);
  });

  it('A file of an unknown type is refused (415), and nothing of it stays.', async () => {
    const before = await usedBytes(world, desk.workspaceId);
    expect(refusal(await upload(owner, Buffer.from([0x4d, 0x5a, 0, 1, 2, 3]), 'a.png'))).toEqual([
      415,
      'attachment_type_refused',
    ]);
    await removeDueFiles(world);
    expect(filesOf(world).incoming).toEqual([]);
    expect(await usedBytes(world, desk.workspaceId)).toBe(before);
  });

  it('A visitor uploads what its channel accepts; other types are 415, larger files 413, and 403 without the feature.', async () => {
    const channel = `/v1/channels/${desk.channelId}`;
    await owner.patch(channel, { attachments: { mime_types: ['text/*'], max_bytes: 10 } });
    expect((await uploadAsVisitor(visitor, '0123456789')).status).toBe(201);
    expect(refusal(await uploadAsVisitor(visitor, '0123456789a'))).toEqual([413, 'body_too_large']);
    expect(refusal(await uploadAsVisitor(visitor, '%PDF-1.7\n'))).toEqual([415, 'attachment_type_refused']);
    await owner.patch(channel, { widget_config: { features: { attachments: false } } });
    expect(refusal(await uploadAsVisitor(visitor, 'x'))).toEqual([403, 'feature_disabled']);
  });

  it("The widget's limits are those of the channel's attachments, which PATCH merges key by key.", async () => {
    const patched = await owner.patch(`/v1/channels/${desk.channelId}`, { attachments: { max_bytes: 1_000 } });
    expect(patched.data.attachments).toMatchObject({ max_bytes: 1_000 });
    const { data } = await world.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`);
    expect(data.widget_config.limits).toEqual({
      max_message_chars: 20_000,
      max_attachment_bytes: 1_000,
      allowed_mime_types: patched.data.attachments.mime_types,
    });
    expect(data.widget_config.features.attachments).toBe(true);
  });
});

describe('A message with files', () => {
  it('A message of files alone is sent, shown by their names, and carries URLs in answers and frames alike.', async () => {
    const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
    const files = [await uploaded('one', 'one.txt'), await uploaded('two', 'two.txt')];
    const sent = await send({ attachment_ids: files.map(({ id }) => id) });
    expect(sent.status).toBe(201);
    expect(sent.data.content).toBeNull();
    expect(sent.data.attachments.map(({ name }: Json) => name)).toEqual(['one.txt', 'two.txt']);
    const read = (await owner.get(`/v1/conversations/${conversation}`)).data;
    expect(read.last_message.preview).toBe('📎 one.txt, 📎 two.txt');
    const listed = (await visitor.api.get(`/v1/widget${messagesOf(conversation).slice(3)}`)).data.items as Json[];
    const frames = [await inbox.next('message.created'), await page.next('message.created')] as Json[];
    const shown = [sent.data, listed.at(-1), ...frames.map(({ data }) => (data as Json).message)] as Json[];
    for (const { attachments } of shown) {
      expect(await statusOf((attachments as Json[])[0]?.url as string)).toBe(200);
    }
  });

  it('A message that search finds has the URLs of its files.', async () => {
    const { id } = await uploaded();
    await send({ attachment_ids: [id], content: 'Teapot' });
    const found = await eventually(async () => {
      const { items } = (await owner.get('/v1/search?query=teapot')).data as { items: Json[] };
      return items.find(({ type }) => type === 'message');
    });
    expect(await statusOf(found.message.attachments[0].url as string)).toBe(200);
  });

  it('No stored row of a message, its event or its kept answer contains a URL.', async () => {
    const { id } = await uploaded();
    await send({ attachment_ids: [id] });
    const rows = await world.app.database.query<{ text: string }>(
      `SELECT attachments::text AS text FROM message WHERE workspace_id = $1
       UNION ALL SELECT payload::text FROM event WHERE workspace_id = $1`,
      [desk.workspaceId],
    );
    expect(rows.some(({ text }) => text.includes(id as string))).toBe(true);
    expect(rows.filter(({ text }) => text.includes('signature'))).toEqual([]);
  });

  it('A replayed answer has fresh URLs.', async () => {
    const key = await world.apiKey(desk);
    const { id } = (await upload(key)).data;
    const body = { attachment_ids: [id], content: 'See this', member_id: desk.owner.memberId };
    const headers = { 'Idempotency-Key': 'once' };
    const first = await key.post(messagesOf(conversation), body, headers);
    world.app.clock.advance(2 * HOUR);
    const again = await key.post(messagesOf(conversation), body, headers);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await statusOf(first.data.attachments[0].url as string)).toBe(403);
    expect(await statusOf(again.data.attachments[0].url as string)).toBe(200);
  });

  it('A file is sent once, and by its uploader alone (400 attachment_unavailable).', async () => {
    const { id } = await uploaded();
    const colleague = await world.colleague(desk);
    expect(refusal(await send({ attachment_ids: [id] }, colleague.api))).toEqual([400, 'attachment_unavailable']);
    expect(refusal(await sendAsVisitor({ attachment_ids: [id] }))).toEqual([400, 'attachment_unavailable']);
    expect((await send({ attachment_ids: [id] })).status).toBe(201);
    expect(refusal(await send({ attachment_ids: [id] }))).toEqual([400, 'attachment_unavailable']);
  });

  it("A key's upload may be sent by any key of the workspace.", async () => {
    const [one, other] = [await world.apiKey(desk), await world.apiKey(desk)];
    const { id } = (await upload(one)).data;
    const sent = await send({ attachment_ids: [id], member_id: desk.owner.memberId }, other);
    expect(sent.status).toBe(201);
  });

  it('A refused message leaves its files to be sent again.', async () => {
    const { id } = await uploaded();
    expect((await send({ attachment_ids: [id], expected_last_seq: 0 })).status).toBe(409);
    expect((await send({ attachment_ids: [id] })).status).toBe(201);
  });
});

describe('Who may see a file', () => {
  it('Before it is sent, its uploader alone gets it (404 to others).', async () => {
    const { id } = await uploaded();
    const colleague = await world.colleague(desk);
    expect((await owner.get(`/v1/attachments/${id as string}`)).status).toBe(200);
    expect((await colleague.api.get(`/v1/attachments/${id as string}`)).status).toBe(404);
    expect((await visitor.api.get(`/v1/widget/attachments/${id as string}`)).status).toBe(404);
  });

  it('A file of a message is seen by all who may see the message; of a note, never by the visitor.', async () => {
    const [shown, noted] = [await uploaded(), await uploaded()];
    await send({ attachment_ids: [shown.id] });
    await send({ attachment_ids: [noted.id], private: true });
    const stranger = await world.visitor(desk);
    const elsewhere = await world.colleague(desk, { channel_ids: [] });
    const get = (api: Caller, id: unknown, base = '/v1/attachments') => api.get(`${base}/${id as string}`);
    expect((await get(visitor.api, shown.id, '/v1/widget/attachments')).status).toBe(200);
    expect((await get(visitor.api, noted.id, '/v1/widget/attachments')).status).toBe(404);
    expect((await get(stranger.api, shown.id, '/v1/widget/attachments')).status).toBe(404);
    expect((await get(elsewhere.api, shown.id)).status).toBe(404);
    expect((await get((await world.colleague(desk)).api, noted.id)).status).toBe(200);
  });
});

describe('The URL of a file', () => {
  it('An expired, changed or missing signature is 403 url_expired.', async () => {
    const { url } = (await uploaded()) as { url: string };
    for (const changed of [
      url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A'),
      url.replace(/expires=\d/, 'expires=9'),
      url.split('?')[0] ?? '',
    ]) {
      expect(await statusOf(changed)).toBe(403);
    }
    world.app.clock.advance(HOUR + 1);
    expect(await statusOf(url)).toBe(403);
  });

  it('A page of any origin may load a file, and no file may run a script or be sniffed.', async () => {
    const { url } = (await uploaded('<script>alert(1)</script>', 'page.html')) as { url: string };
    const { headers } = await download(world, url);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "sandbox;default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'access-control-allow-origin': '*',
    });
    expect(headers['content-disposition']).toMatch(/^attachment; filename="page\.html"/);
  });

  it('A range is answered with its part, one outside of the file with 416, and a known ETag with 304.', async () => {
    const { url } = (await uploaded('0123456789')) as { url: string };
    const part = await download(world, url, { Range: 'bytes=2-4' });
    expect([part.status, part.headers['content-range'], (part.body as Buffer).toString()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    expect((await download(world, url, { Range: 'bytes=10-' })).status).toBe(416);
    expect((await download(world, url, { 'If-None-Match': part.headers.etag as string })).status).toBe(304);
  });

  it.each(SHOWN_INLINE)('A file of the type %s is shown by the browser.', async (type, bytes) => {
    const { url } = (await uploaded(await bytes(), 'media')) as { url: string };
    const { status, headers } = await download(world, url);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(headers['content-disposition']).toMatch(/^inline;/);
    expect(headers).toMatchObject({ 'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff' });
  });

  it('A player gets a part of a video, also its end.', async () => {
    const video = Buffer.concat([MP4, Buffer.alloc(300_000, 'v'), Buffer.from('the end')]);
    const { url } = (await uploaded(video, 'tour.mp4')) as { url: string };
    for (const [range, start, end] of [
      ['bytes=0-1', 0, 1],
      ['bytes=200000-', 200_000, video.length - 1],
      ['bytes=-7', video.length - 7, video.length - 1],
    ] as const) {
      const part = await download(world, url, { Range: range });
      expect([part.status, part.headers['content-range']]).toEqual([206, `bytes ${start}-${end}/${video.length}`]);
      expect(part.headers).toMatchObject({ 'content-type': 'video/mp4', 'content-length': String(end - start + 1) });
      expect(part.headers['content-disposition']).toMatch(/^inline;/);
      expect((part.body as Buffer).equals(video.subarray(start, end + 1))).toBe(true);
    }
  });

  it('An unsent message takes its files with it: from the commit on 404, and the bytes go.', async () => {
    const { id } = await uploaded();
    const sent = (await send({ attachment_ids: [id] })).data;
    await owner.delete(`${messagesOf(conversation)}/${sent.id as string}`);
    expect(await statusOf(sent.attachments[0].url as string)).toBe(404);
    await removeDueFiles(world);
    expect(filesOf(world).stored.filter(name => name.includes(id as string))).toEqual([]);
  });

  it("An erased contact's files, and those sent to it, are 404 from the commit on.", async () => {
    const theirs = (await uploadAsVisitor(visitor)).data;
    const ours = await uploaded();
    const unsent = (await uploadAsVisitor(visitor)).data;
    await sendAsVisitor({ attachment_ids: [theirs.id] });
    await send({ attachment_ids: [ours.id] });
    await owner.delete(`/v1/contacts/${visitor.contactId}`);
    for (const { url } of [theirs, ours, unsent]) expect(await statusOf(url as string)).toBe(404);
    await removeDueFiles(world);
    expect(await usedBytes(world, desk.workspaceId)).toBe(0);
  });

  it('The files of a merged contact follow its conversations, and go when the remaining contact is erased.', async () => {
    const remaining = await world.visitor(desk);
    const theirs = (await uploadAsVisitor(visitor)).data;
    await sendAsVisitor({ attachment_ids: [theirs.id] });
    await owner.post(`/v1/contacts/${remaining.contactId}/merge`, { from_id: visitor.contactId });
    const shown = await remaining.api.get(`/v1/widget/attachments/${theirs.id as string}`);
    expect([shown.status, await statusOf(shown.data.url as string)]).toEqual([200, 200]);
    await owner.delete(`/v1/contacts/${remaining.contactId}`);
    expect(await statusOf(shown.data.url as string)).toBe(404);
  });

  it('A file that nobody has sent is unreadable after 24 hours, and its bytes and then its row go.', async () => {
    const key = await world.apiKey(desk);
    const { id } = (await upload(key)).data;
    world.app.clock.advance(24 * HOUR + 1);
    expect((await key.get(`/v1/attachments/${id as string}`)).status).toBe(404);
    expect(refusal(await send({ attachment_ids: [id], member_id: desk.owner.memberId }, key))).toEqual([
      400,
      'attachment_unavailable',
    ]);
    await removeDueFiles(world);
    await removeDueFiles(world);
    expect(filesOf(world).stored.filter(name => name.includes(id as string))).toEqual([]);
    const rows = () => world.app.database.query('SELECT FROM attachment WHERE id = $1', [id]);
    await eventually(async () => (await rows()).length === 0 || undefined);
  });
});
