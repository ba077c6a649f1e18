import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConversationCountsRepairService } from '../../src/modules/conversations/index.js';
import type { TestDatabase } from '../support/database.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import type { Answer } from '../support/http.js';
import type { Json } from '../support/json.js';
import { countsOf, race } from '../support/race.js';
import type { Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

const CLOSE_TIMEOUT_MS = 5_000;

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  world = await World.start({}, { alone: true });
  database = world.app.database;
});
afterAll(async () => {
  await world.stop();
});

let desk: Desk;
/** `from` is merged into `into`. */
let from: Visitor;
let into: Visitor;
let ids: { from: string; into: string };
beforeEach(async () => {
  desk = await world.desk();
  ids = { from: unique('from'), into: unique('into') };
  into = await world.visitor(desk, { external_id: ids.into, name: 'Vera', custom_attributes: { plan: 'gold' } });
  from = await world.visitor(desk, {
    external_id: ids.from,
    name: 'V.',
    email: 'vera@example.com',
    custom_attributes: { plan: 'lead', city: 'Bonn' },
  });
});

const path = (id = into.contactId, action = '') => `/v1/contacts/${id}${action}`;
const merge = (body: object = {}, id = into.contactId, by = desk.owner.api) =>
  by.post(path(id, '/merge'), { from_id: from.contactId, ...body });
const outcome = ({ status, error }: Answer<Json>) => [status, error?.code];
const openSession = (external_id: string) =>
  world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken, external_id });
const conversationsOf = async (id: string) =>
  ((await desk.owner.api.get(path(id, '/conversations'))).data.items as Json[]).map(item => item.id as string);

/** Returns all rows that a merge could change. */
function readRows(): Promise<object[]> {
  return database.query(
    `SELECT (SELECT json_agg(contact ORDER BY id) FROM contact) AS contacts,
            (SELECT json_agg(conversation ORDER BY id) FROM conversation) AS conversations,
            (SELECT json_agg(message ORDER BY id) FROM message) AS messages,
            (SELECT count(*) FROM event) AS events, (SELECT count(*) FROM contact_channel) AS channels`,
  );
}

describe('Merging a contact into another', () => {
  it('Merging a contact moves its conversations and fills the empty fields of the target', async () => {
    const conversation = await world.conversation(from, 'Where is my parcel?');
    const inbox = await world.agentSocket(desk.owner);
    const merged = await merge();
    expect(merged.data).toMatchObject({
      contact: {
        id: into.contactId,
        name: 'Vera',
        email: 'vera@example.com',
        external_id: ids.into,
        custom_attributes: { plan: 'gold', city: 'Bonn' },
      },
      dry_run: false,
      conversations: 1,
      resolved_conversation_ids: [],
    });
    expect((merged.data.taken_over as string[]).sort()).toEqual(['custom_attributes', 'email', 'last_seen_at']);
    expect((await desk.owner.api.get(path())).data).toEqual(merged.data.contact);
    expect(await conversationsOf(into.contactId)).toEqual([conversation.id]);
    const history = await into.api.get(`/v1/widget/conversations/${conversation.id}/messages`);
    expect(history.data.items).toMatchObject([{ content: 'Where is my parcel?', sender_id: into.contactId }]);
    expect((await inbox.next('conversation.updated')).data).toMatchObject({
      id: conversation.id,
      changes: { contact_id: { from: from.contactId, to: into.contactId } },
    });
    await inbox.next('contact.updated', ({ data }) => data.id === into.contactId);
    expect((await inbox.next('contact.merged')).data).toEqual({ id: from.contactId, into_id: into.contactId });
  });

  it('A merged contact loses its tokens and sockets, and its external_id opens the target contact', async () => {
    const conversation = await world.conversation(from);
    const [ended, kept] = [await world.visitorSocket(from), await world.visitorSocket(into)];
    await merge();
    expect((await ended.end(CLOSE_TIMEOUT_MS)).code).toBe(4502);
    expect(outcome(await from.api.get('/v1/widget/conversations'))).toEqual([401, 'token_revoked']);
    await kept.settled();
    const again = await openSession(ids.from);
    expect(again.data.contact_id).toBe(into.contactId);
    const seen = await world.as(again.data.visitor_token).get('/v1/widget/conversations');
    expect((seen.data.items as Json[]).map(({ id }) => id)).toEqual([conversation.id]);
    const message = { content: 'It is me', client_message_id: 'mine' };
    expect((await into.api.post(`/v1/widget/conversations/${conversation.id}/messages`, message)).status).toBe(201);
    await kept.next('message.created', ({ data }) => data.message.content === 'It is me');
  });

  it('A merged contact gets 410 with the id of the final target, also after further merges', async () => {
    await merge();
    const third = await world.visitor(desk);
    await merge({ from_id: into.contactId }, third.contactId);
    for (const id of [from.contactId, into.contactId]) {
      const answers = [
        await desk.owner.api.get(path(id)),
        await desk.owner.api.patch(path(id), { name: 'X' }),
        await desk.owner.api.post(path(id, '/block')),
        await desk.owner.api.get(path(id, '/conversations')),
        await merge({ from_id: third.contactId }, id),
        await merge({ from_id: id }, third.contactId),
      ];
      for (const answer of answers) {
        expect(answer.error).toMatchObject({ code: 'contact_merged', contact_id: third.contactId });
        expect(answer.status).toBe(410);
      }
    }
    expect((await openSession(ids.from)).data.contact_id).toBe(third.contactId);
    const listed = (await desk.owner.api.get('/v1/contacts')).data.items as Json[];
    expect(listed.map(({ id }) => id)).toEqual([third.contactId]);
  });

  it('A merged contact passes its external_id to a target that has none', async () => {
    const nobody = (await desk.owner.api.post('/v1/contacts', { name: 'Written down by hand' })).data;
    await merge({}, nobody.id);
    expect((await desk.owner.api.get(path(nobody.id))).data.external_id).toBe(ids.from);
    expect((await openSession(ids.from)).data.contact_id).toBe(nobody.id);
  });

  it('Merging a blocked contact blocks the target, too', async () => {
    await desk.owner.api.post(path(from.contactId, '/block'));
    const socket = await world.visitorSocket(into);
    expect((await merge()).data.contact).toMatchObject({ blocked: true });
    expect((await socket.end(CLOSE_TIMEOUT_MS)).code).toBe(4502);
    expect(outcome(await openSession(ids.into))).toEqual([403, 'contact_blocked']);
  });

  it('An unverified external_id never gives access to a verified contact through a merge', async () => {
    await database.query('UPDATE contact SET verified = true WHERE id = $1', [into.contactId]);
    const back = await merge({ from_id: into.contactId }, from.contactId);
    expect(outcome(back)).toEqual([422, 'contact_verified']);
    expect((await merge()).status).toBe(200);
    const stranger = await openSession(ids.from);
    expect([into.contactId, from.contactId]).not.toContain(stranger.data.contact_id);
  });
});

describe('Merging contacts with unresolved conversations on one channel', () => {
  it('Merging resolves the older unresolved conversation where the channel allows one', async () => {
    for (const first of ['from', 'into'] as const) {
      const [one, other] = first === 'from' ? [from, into] : [into, from];
      const older = await world.conversation(one);
      const newer = await world.conversation(other);
      const merged = await merge();
      expect(merged.data).toMatchObject({ conversations: 1, resolved_conversation_ids: [older.id] });
      const current = await into.api.post('/v1/widget/conversations', { message: { content: 'Go on' } });
      expect(current.data.conversation.id).toBe(newer.id);
      expect((await desk.owner.api.get(`/v1/conversations/${older.id}`)).data).toMatchObject({
        status: 'resolved',
        contact_id: into.contactId,
        resolved_by: { type: 'member', id: desk.owner.memberId },
      });
      desk = await world.desk();
      into = await world.visitor(desk);
      from = await world.visitor(desk);
    }
    expect(await world.app.app.get(ConversationCountsRepairService).repair()).toBe(0);
  });

  it('Each conversation that merging resolves keeps its own state before the resolve.', async () => {
    const other = { widgetToken: (await world.channel(desk)).widget_token as string };
    const colleague = await world.colleague(desk);
    const older = [
      await world.conversation(from),
      await world.conversation(await world.visitor(other, { external_id: ids.from })),
    ];
    await world.conversation(into);
    await world.conversation(await world.visitor(other, { external_id: ids.into }));
    const assignees = [desk.owner.memberId, colleague.memberId];
    for (const [index, { id }] of older.entries()) {
      await desk.owner.api.post(`/v1/conversations/${id}/assign`, { member_id: assignees[index]! });
    }
    expect((await merge()).data.resolved_conversation_ids).toHaveLength(2);
    const rows = await world.app.database.query<{ assignee: string }>(
      `SELECT before_resolve ->> 'assignee_id' AS assignee FROM conversation WHERE id = ANY($1) ORDER BY id`,
      [older.map(({ id }) => id as string)],
    );
    expect(rows.map(({ assignee }) => assignee)).toEqual(assignees);
  });

  it('Merging keeps both unresolved conversations where the channel allows several', async () => {
    const channel = await world.channel(desk, { single_conversation: false });
    const at = { widgetToken: channel.widget_token as string };
    [from, into] = [await world.visitor(at), await world.visitor(at)];
    const both = [await world.conversation(from), await world.conversation(into)].map(({ id }) => id as string);
    expect((await merge()).data).toMatchObject({ conversations: 1, resolved_conversation_ids: [] });
    expect((await conversationsOf(into.contactId)).sort()).toEqual(both.sort());
  });
});

describe('Trying a merge with dry_run', () => {
  it('A merge with dry_run returns the result of the real merge and changes nothing', async () => {
    await world.conversation(from);
    await world.conversation(into);
    // The presence of the visitor is written at times of its own.
    const rows = async () =>
      JSON.parse(JSON.stringify(await readRows(), (key, value) => (key === 'last_seen_at' ? null : value))) as unknown;
    const before = await rows();
    const socket = await world.visitorSocket(from);
    const dryRun = await merge({ dry_run: true });
    expect(await rows()).toEqual(before);
    await socket.settled();
    const done = await merge();
    const untimed = ({ contact, ...rest }: Json) => ({ ...rest, contact: { ...contact, updated_at: null } });
    expect(untimed(dryRun.data)).toEqual({ ...untimed(done.data), dry_run: true });
    expect(dryRun.data.conversations).toBe(1);
  });
});

describe('Refused merges', () => {
  it('A merge is refused with a from_id that is the same contact, unknown or of another workspace (400)', async () => {
    const elsewhere = await world.visitor(await world.desk());
    for (const [from_id, code] of [
      [into.contactId, 'same'],
      [desk.channelId, 'unknown'],
      [elsewhere.contactId, 'unknown'],
    ]) {
      const answer = await merge({ from_id });
      expect(outcome(answer)).toEqual([400, 'validation_failed']);
      expect(answer.error.details).toMatchObject([{ field: 'from_id', code }]);
    }
    expect(outcome(await merge({}, elsewhere.contactId))).toEqual([404, 'not_found']);
  });

  it('An admin limited to some channels cannot merge contacts (403)', async () => {
    const admin = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    expect(outcome(await merge({}, into.contactId, admin.api))).toEqual([403, 'scope_too_narrow']);
  });
});

describe('Concurrent merges', () => {
  it('Concurrent merges in both directions leave one contact with every conversation', async () => {
    for (let round = 0; round < 5; round += 1) {
      const pair = [await world.visitor(desk), await world.visitor(desk)] as const;
      const conversations = [await world.conversation(pair[0]), await world.conversation(pair[1])];
      const answers = await race(4, index => {
        const [a, b] = index % 2 ? pair : [pair[1], pair[0]];
        return merge({ from_id: b.contactId }, a.contactId);
      });
      expect(countsOf(answers.map(answer => outcome(answer).join(' ')))).toEqual({
        '200 ': 1,
        '410 contact_merged': 3,
      });
      const won = answers.find(({ status }) => status === 200)?.data.contact.id as string;
      expect((await conversationsOf(won)).sort()).toEqual(conversations.map(({ id }) => id as string).sort());
    }
  });

  it('A merge that races with messages, sessions and new conversations loses nothing', async () => {
    const conversation = await world.conversation(from);
    const messages = `/v1/widget/conversations/${conversation.id}/messages`;
    const rowLock = await lockRowByUpdate(database, 'conversation', conversation.id, 'version = version');
    const sending = race(4, index => from.api.post(messages, { content: `Word ${index}` }));
    await rowLock.awaited();
    const [merged, sessions, begun] = [
      merge(),
      race(3, () => openSession(ids.from)),
      race(3, () =>
        desk.owner.api.post('/v1/conversations', { contact_id: from.contactId, channel_id: desk.channelId }),
      ),
    ];
    await rowLock.commit();
    const acknowledged = (await sending).filter(({ status }) => status === 201).length;
    expect((await merged).status).toBe(200);
    for (const answer of await sessions) expect([from.contactId, into.contactId]).toContain(answer.data.contact_id);
    for (const { status } of await begun) expect([400, 409, 410]).toContain(status);
    const left = await database.query('SELECT 1 FROM conversation WHERE contact_id = $1', [from.contactId]);
    expect(left).toEqual([]);
    const stored = await database.query<{ sender_id: string }>(
      `SELECT sender_id FROM message WHERE conversation_id = $1 AND content LIKE 'Word %'`,
      [conversation.id],
    );
    expect(stored).toEqual(Array(acknowledged).fill({ sender_id: into.contactId }));
  });
});
