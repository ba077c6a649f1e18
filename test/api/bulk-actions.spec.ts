import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import { World } from '../support/world.js';

const UNKNOWN_ID = '01960000-0000-7000-8000-000000000000';
let ids: string[];
beforeEach(async () => {
  ids = await race(4, async () => (await world.conversation(await world.visitor(desk))).id as string);
});

const bulk = (body: object, by: Caller = owner) => by.post('/v1/conversations/bulk', { ids, ...body });
const read = (id = ids[0] ?? '') => owner.get(`/v1/conversations/${id}`).then(({ data }) => data);
const allOk = () => ids.map(id => ({ id, ok: true }));

describe('Bulk actions on conversations', () => {
  it('Each action does to every conversation what its single route does.', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    for (const [body, expected] of [
      [{ action: 'assign', member_id: desk.owner.memberId }, { assignee_id: desk.owner.memberId }],
      [{ action: 'assign', member_id: null }, { assignee_id: null }],
      [{ action: 'priority', priority: 'high' }, { priority: 'high' }],
      [{ action: 'tag', tag: ' VIP ' }, { tags: ['VIP'] }],
      [{ action: 'tag', tag: 'vip' }, { tags: ['VIP'] }],
      [{ action: 'untag', tag: 'Vip' }, { tags: [] }],
      [{ action: 'read' }, { unread: { agents: 0, contact: 0 } }],
      [
        { action: 'snooze', until },
        { status: 'snoozed', snoozed_until: until.replace('Z', '000Z') },
      ],
      [{ action: 'wake' }, { status: 'open', snoozed_until: null }],
      [
        { action: 'snooze', until },
        { status: 'snoozed', snoozed_until: until.replace('Z', '000Z') },
      ],
      [{ action: 'resolve' }, { status: 'resolved', resolved_by: { type: 'member', id: desk.owner.memberId } }],
      [{ action: 'reopen' }, { status: 'snoozed' }],
    ] as const) {
      const answer = await bulk(body);
      expect([answer.status, answer.data.results]).toEqual([200, allOk()]);
      for (const id of ids) expect(await read(id)).toMatchObject(expected);
    }
  });

  it('Each conversation succeeds or fails alone, in the order of the ids, repeated ones once.', async () => {
    const [one = '', two = '', three = ''] = ids;
    const foreign = (await world.conversation(await world.visitor(await world.desk()))).id as string;
    await owner.post(`/v1/conversations/${two}/resolve`, {});
    const before = (await read(one)).version as number;
    const { results } = (await bulk({ ids: [three, UNKNOWN_ID, one, two, foreign, one], action: 'resolve' })).data;
    expect(results.map(({ id, ok, error }: Json) => [id, ok, (error as Json | undefined)?.code])).toEqual([
      [three, true, undefined],
      [UNKNOWN_ID, false, 'not_found'],
      [one, true, undefined],
      [two, false, 'invalid_transition'],
      [foreign, false, 'not_found'],
      [one, true, undefined],
    ]);
    expect((await read(one)).version).toBe(before + 1);
  });

  it('A conversation outside the scope of the caller is not found, and stays as it is.', async () => {
    const limited = await world.colleague(desk, { channel_ids: [(await world.channel(desk)).id as string] });
    const { results } = (await bulk({ action: 'resolve' }, limited.api)).data;
    expect(results.map(({ error }: Json) => (error as Json).code)).toEqual(ids.map(() => 'not_found'));
    expect((await read()).status).toBe('open');
  });

  it('The errors of the single routes come per conversation: a member without the channel, an unknown one, a late snooze.', async () => {
    const limited = await world.colleague(desk, { channel_ids: [] });
    const codesOf = async (body: object) =>
      (await bulk({ ids: ids.slice(0, 1), ...body })).data.results.map(({ error }: Json) => (error as Json).code);
    expect(await codesOf({ action: 'assign', member_id: limited.memberId })).toEqual(['assignee_unavailable']);
    expect(await codesOf({ action: 'assign', member_id: UNKNOWN_ID })).toEqual(['validation_failed']);
    expect(await codesOf({ action: 'snooze', until: '2020-01-01T00:00:00Z' })).toEqual(['snooze_in_past']);
    await owner.patch(`/v1/conversations/${ids[0]}`, {
      tags: Array.from({ length: 20 }, (_one, index) => `t${index}`),
    });
    expect(await codesOf({ action: 'tag', tag: 'one more' })).toEqual(['validation_failed']);
  });

  it('The conversations of an erased contact cannot be changed.', async () => {
    const { contact_id: contactId } = await read();
    await owner.delete(`/v1/contacts/${contactId as string}`);
    const { results } = (await bulk({ ids: ids.slice(0, 1), action: 'tag', tag: 'x' })).data;
    expect(results[0].error.code).toBe('conversation_erased');
  });

  it.each([
    [{ action: 'explode' }, 'action'],
    [{ action: 'assign' }, 'member_id'],
    [{ action: 'tag' }, 'tag'],
    [{ action: 'untag', tag: '  ' }, 'tag'],
    [{ action: 'priority' }, 'priority'],
    [{ action: 'priority', priority: 'huge' }, 'priority'],
    [{ action: 'resolve', ids: ['x'] }, 'ids'],
    [{ action: 'resolve', ids: Array<string>(101).fill(UNKNOWN_ID) }, 'ids'],
  ])('A bulk action without what it needs changes nothing: %j (400).', async (body, field) => {
    const answer = await bulk(body);
    expect([answer.status, answer.error.details?.map(fault => fault.field)]).toEqual([400, [field]]);
  });

  it('A hundred conversations can be changed at once, and no conversation is none.', async () => {
    const visitor = await world.visitor(desk);
    await world.app.database.query(
      `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at)
       SELECT $1, gen_random_uuid(), 100 + n, $2, $3, 'open', false, now() FROM generate_series(1, 96) AS n`,
      [desk.workspaceId, desk.channelId, visitor.contactId],
    );
    const items = (await owner.get('/v1/conversations?limit=100')).data.items as Json[];
    const all = items.map(({ id }) => id as string);
    const { results } = (await bulk({ ids: all, action: 'tag', tag: 'all' })).data;
    expect(results).toEqual(all.map(id => ({ id, ok: true })));
    expect((await owner.get('/v1/tags')).data.items).toEqual([{ name: 'all', count: 100 }]);
    expect((await bulk({ ids: [], action: 'resolve' })).data.results).toEqual([]);
  });

  it('Concurrent bulk actions on the same conversations all finish, each conversation once per action.', async () => {
    const answers = await race(6, index =>
      bulk(index % 2 ? { action: 'tag', tag: `t${index}` } : { action: 'assign', member_id: desk.owner.memberId }),
    );
    for (const { data } of answers) expect(data.results).toEqual(allOk());
    for (const id of ids) expect(((await read(id)).tags as string[]).sort()).toEqual(['t1', 't3', 't5']);
  });

  it('An Idempotency-Key is ignored: the action is done again.', async () => {
    const headers = { 'Idempotency-Key': 'again' };
    const act = () => owner.post('/v1/conversations/bulk', { ids, action: 'resolve' }, headers);
    expect((await act()).data.results[0].ok).toBe(true);
    expect((await act()).data.results[0].error.code).toBe('invalid_transition');
  });

  it('Each conversation of a bulk action has the events of the single action.', async () => {
    const socket = await world.agentSocket(desk.owner);
    await bulk({ action: 'priority', priority: 'urgent' });
    const frames = await eventually(() => {
      const received = socket.of('conversation.updated');
      return received.length === ids.length ? received : undefined;
    });
    for (const { data } of frames) expect(data.changes).toEqual({ priority: { from: 'none', to: 'urgent' } });
    const changed = frames.map(({ data }) => data.id as unknown as string);
    expect([...changed].sort()).toEqual([...ids].sort());
    await socket.close();
  });
});

describe('The rate of bulk actions', () => {
  it('Ten conversations count as one request, and a bulk action past the limit changes nothing (429).', async () => {
    const slow = await World.start({ RATE_LIMITS: 'agent=20/60' });
    const own = await slow.desk();
    const colleague = await slow.colleague(own);
    const id = (await slow.conversation(await slow.visitor(own))).id as string;
    const many = [id, ...Array.from({ length: 94 }, () => UNKNOWN_ID)];
    const act = (body: object) => colleague.api.post('/v1/conversations/bulk', { action: 'tag', tag: 'x', ...body });
    expect((await act({ ids: many })).status).toBe(200);
    const refused = await act({ ids: [...many, ...many.slice(0, 5), id], action: 'resolve' });
    expect([refused.status, refused.error.code]).toEqual([400, 'validation_failed']);
    const last = await act({ ids: [...many], action: 'resolve' });
    expect([last.status, last.error?.code]).toEqual([429, 'rate_limited']);
    expect((await own.owner.api.get(`/v1/conversations/${id}`)).data.status).toBe('open');
    await slow.stop();
  });
});
