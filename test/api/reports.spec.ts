import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ReportsConsumer } from '../../src/modules/reports/reports.consumer.js';
import { ReportsRepository } from '../../src/modules/reports/reports.repository.js';
import { giveControl } from '../support/bot-control.js';
import { consumed } from '../support/consumed.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race, RACE_SEEDS } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import type { Agent, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const NEVER_OPEN = { mon: [] };

let visitor: Visitor;
let key: Caller;
let agent: Agent;
let id: string;
beforeEach(async () => {
  await owner.patch(`/v1/channels/${desk.channelId}`, { csat_enabled: true });
  visitor = await world.visitor(desk);
  key = await world.apiKey(desk);
  agent = await world.colleague(desk);
  id = (await world.conversation(visitor)).id as string;
});

const act = (action: string, body: object = {}, by: Caller = owner) =>
  by.post(`/v1/conversations/${id}/${action}`, body);
const tag = (tags: string[]) => owner.patch(`/v1/conversations/${id}`, { tags });
const rate = (score: number) => visitor.api.post(`/v1/widget/conversations/${id}/rating`, { score });
const ask = (content = 'And now?') => visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content });

async function report(name: string, query: Record<string, string> = {}, by: Caller = owner): Promise<Json> {
  await consumed(world, ReportsConsumer);
  const answer = await by.get(`/v1/reports/${name}?${new URLSearchParams(query).toString()}`);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.data as Json;
}
const totals = async (query: Record<string, string> = {}): Promise<Json> =>
  (await report('conversations', query)).totals as Json;
async function item(name: string, field: string, value: string, by: Caller = owner): Promise<Json> {
  const { items } = await report(name, {}, by);
  return (items as Json[]).find(one => one[field] === value);
}

describe('Counts', () => {
  it('A conversation counts when it begins, each public message by its sender, each resolve and reopening.', async () => {
    await act('messages', { content: 'Hello!' });
    await ask();
    await act('resolve', {}, agent.api);
    await ask('Still there?');
    expect(await totals()).toMatchObject({ created: 1, messages_in: 3, messages_out: 1, resolved: 1, reopened: 1 });
  });

  it('Private notes and timeline entries are no messages.', async () => {
    await act('messages', { content: 'a note', private: true });
    await act('assign', { member_id: agent.memberId });
    expect(await totals()).toMatchObject({ messages_in: 1, messages_out: 0, bot_messages: 0 });
  });

  it("Bots' messages are counted apart from people's.", async () => {
    const bot = (await owner.post('/v1/bots', { name: 'Robo' })).data as Json;
    await giveControl(world, id, bot.id as string);
    await act('messages', { content: 'Beep.', bot_id: bot.id }, key);
    expect(await totals()).toMatchObject({ messages_out: 0, bot_messages: 1, first_response: { count: 0 } });
  });

  it('An unsent message stays counted: events are counted, not states.', async () => {
    const sent = await act('messages', { content: 'Oops' });
    await owner.delete(`/v1/conversations/${id}/messages/${sent.data.id as string}`);
    expect(await totals()).toMatchObject({ messages_out: 1, first_response: { count: 1 } });
  });

  it('A resolve that is taken back is not counted, even if tags and business hours have changed since.', async () => {
    await tag(['vip']);
    await act('resolve');
    await consumed(world, ReportsConsumer);
    await tag(['late']);
    await owner.patch('/v1/workspace', { business_hours: NEVER_OPEN });
    await act('reopen');
    const none = { resolved: 0, reopened: 0, resolution: { count: 0 }, resolution_business: { count: 0 } };
    expect(await totals()).toMatchObject(none);
    expect(await item('tags', 'tag', 'vip')).toMatchObject(none);
    expect(await item('members', 'member_id', desk.owner.memberId)).toMatchObject(none);
    await act('resolve');
    expect(await totals()).toMatchObject({ resolved: 1, resolution: { count: 1 } });
  });

  it("A resolve counts whether an agent, the visitor or a key does it; a member's also for the member.", async () => {
    await owner.patch(`/v1/channels/${desk.channelId}`, { widget_config: { features: { end_chat: true } } });
    await act('resolve', {}, agent.api);
    await ask();
    await visitor.api.post(`/v1/widget/conversations/${id}/resolve`);
    await ask();
    await act('resolve', {}, key);
    expect(await totals()).toMatchObject({ resolved: 3, reopened: 2, bot_resolved: 0, resolution: { count: 3 } });
    expect(await item('members', 'member_id', agent.memberId)).toMatchObject({ resolved: 1, reopened: 1 });
  });

  it('A resolve counts for the assignee, not for who resolved it, and a reopening for the same member.', async () => {
    await act('assign', { member_id: agent.memberId });
    await act('resolve');
    await act('reopen', {}, key);
    expect(await item('members', 'member_id', agent.memberId)).toMatchObject({ resolved: 1, reopened: 1 });
    expect(await item('members', 'member_id', desk.owner.memberId)).toMatchObject({ resolved: 0, reopened: 0 });
  });
});

describe('Durations', () => {
  it('The first response is counted once, for the member who gave it.', async () => {
    await act('messages', { content: 'Hello!' }, agent.api);
    await act('messages', { content: 'Anything else?' }, owner);
    expect(await totals()).toMatchObject({ first_response: { count: 1 } });
    expect(await item('members', 'member_id', agent.memberId)).toMatchObject({ first_response: { count: 1 } });
    expect(await item('members', 'member_id', desk.owner.memberId)).toMatchObject({ first_response: { count: 0 } });
  });

  it('Outside business hours no second counts as business time.', async () => {
    await owner.patch(`/v1/channels/${desk.channelId}`, { business_hours: NEVER_OPEN });
    await act('messages', { content: 'Hello!' });
    const { first_response, first_response_business } = await totals();
    expect(first_response.mean).toBeGreaterThan(0);
    expect(first_response_business).toEqual({ count: 1, mean: 0, p50: 0, p90: 0 });
  });

  it('A resolution lasts from the last opening of the conversation to the resolve.', async () => {
    const hourAgo = `UPDATE conversation SET created_at = created_at - interval '1 hour' WHERE id = $1`;
    await world.app.database.query(hourAgo, [id]);
    await act('resolve');
    await ask();
    await act('resolve');
    const { count, p50, p90 } = (await totals()).resolution;
    expect(count).toBe(2);
    expect([p50 < 60, p90 > 3_400]).toEqual([true, true]);
  });
});

describe('Ratings', () => {
  beforeEach(() => act('messages', { content: 'Hello!' }));

  it('The last rating of a conversation counts, and replaces the one before.', async () => {
    await act('resolve');
    await rate(1);
    expect((await totals()).csat).toEqual({ count: 1, mean: 1, scores: [1, 0, 0, 0, 0] });
    await rate(4);
    await rate(5);
    expect((await totals()).csat).toEqual({ count: 1, mean: 5, scores: [0, 0, 0, 0, 1] });
  });

  it('A rating counts for the assignee at the resolve; after another resolve the new one counts for the new assignee.', async () => {
    await act('assign', { member_id: agent.memberId });
    await act('resolve');
    await rate(2);
    expect((await item('members', 'member_id', agent.memberId)).csat.count).toBe(1);
    await act('reopen');
    await act('assign', { member_id: desk.owner.memberId });
    await act('resolve');
    await rate(5);
    expect((await item('members', 'member_id', agent.memberId)).csat.count).toBe(0);
    expect((await item('members', 'member_id', desk.owner.memberId)).csat.scores).toEqual([0, 0, 0, 0, 1]);
  });

  it('The score stays when the contact is erased, also if the consumer reads the rating afterwards.', async () => {
    await act('resolve');
    await rate(3);
    await key.delete(`/v1/contacts/${visitor.contactId}`);
    expect((await totals()).csat).toMatchObject({ count: 1, scores: [0, 0, 1, 0, 0] });
  });
});

describe('Rating, erasing and counting at the same time', () => {
  it('An accepted rating counts once and no other does; its conversation counts in either case.', async () => {
    const scores = [0, 0, 0, 0, 0];
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      const random = seeded(seed);
      visitor = await world.visitor(desk);
      id = (await world.conversation(visitor)).id as string;
      await act('messages', { content: 'Hello!' });
      await act('resolve');
      const score = 1 + Math.floor(random() * 5);
      const acts = [
        () => rate(score),
        () => key.delete(`/v1/contacts/${visitor.contactId}`),
        () =>
          world.app.app
            .get(ReportsConsumer)
            .catchUp()
            .then(() => null),
      ];
      const [rated] = await race(acts.length, async index => {
        await waitUpTo(random, 6);
        return (await acts[index]?.()) ?? null;
      });
      if (rated?.status === 200) scores[score - 1] = (scores[score - 1] ?? 0) + 1;
    }
    const { created, resolved, csat } = await totals();
    expect([created, resolved, csat.scores]).toEqual([RACE_SEEDS + 1, RACE_SEEDS, scores]);
  });
});

describe('Tags', () => {
  it('An event counts for the tags that the conversation had then.', async () => {
    await tag(['vip']);
    await act('resolve');
    await tag(['late']);
    expect(await item('tags', 'tag', 'vip')).toMatchObject({ resolved: 1 });
    expect(await item('tags', 'tag', 'late')).toMatchObject({ resolved: 0 });
  });

  it('A renamed tag keeps its figures, a merged one gives them to the other, a deleted one is not listed.', async () => {
    await tag(['vip']);
    await act('resolve');
    await ask();
    await tag(['urgent']);
    await act('resolve');
    await owner.post('/v1/tags/rename', { from: 'vip', to: 'gold' });
    expect(await item('tags', 'tag', 'gold')).toMatchObject({ resolved: 1 });
    await owner.post('/v1/tags/rename', { from: 'gold', to: 'urgent' });
    expect(await item('tags', 'tag', 'urgent')).toMatchObject({ resolved: 2 });
    await owner.delete('/v1/tags/urgent');
    const { items, totals: all } = await report('tags');
    expect([items, all.resolved]).toEqual([[], 2]);
  });

  it('A conversation with two tags counts once in the totals.', async () => {
    await tag(['vip', 'late']);
    await act('resolve');
    expect((await report('tags')).totals).toMatchObject({ resolved: 1 });
  });
});

describe('Rows of what is gone', () => {
  it('A deleted channel and a deactivated member are listed while the report has figures of them.', async () => {
    await act('resolve', {}, agent.api);
    await owner.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    await world.channel(desk);
    await owner.delete(`/v1/channels/${desk.channelId}`);
    expect(await item('members', 'member_id', agent.memberId)).toMatchObject({ resolved: 1 });
    expect(await item('channels', 'channel_id', desk.channelId)).toMatchObject({ resolved: 1 });
    const past = { from: '2026-01-01T00:00:00Z', to: '2026-01-08T00:00:00Z' };
    expect((await report('members', past)).items).toHaveLength(1);
    expect((await report('channels', past)).items).toHaveLength(1);
  });
});

describe('Scope', () => {
  it('An agent whose scope has some channels gets the figures of these alone.', async () => {
    const other = await world.channel(desk);
    const elsewhere = await world.colleague(desk, { channel_ids: [other.id as string] });
    await world.conversation(await world.visitor({ widgetToken: other.widget_token as string }));
    expect((await report('conversations', {}, elsewhere.api)).totals).toMatchObject({ created: 1, messages_in: 1 });
    expect((await report('channels', {}, elsewhere.api)).items).toHaveLength(1);
    expect(await totals()).toMatchObject({ created: 2 });
    expect(await totals({ channel_id: other.id as string })).toMatchObject({ created: 1 });
    const foreign = await world.desk();
    expect((await report('conversations', { channel_id: desk.channelId }, foreign.owner.api)).totals.created).toBe(0);
  });

  it('An agent gets its own row of members; admins of all channels and keys get all rows.', async () => {
    await act('messages', { content: 'Hello!' });
    const admin = await world.colleague(desk, { role: 'admin' });
    const scoped = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    const rows = async (by: Caller) => ((await report('members', {}, by)).items as Json[]).map(one => one.member_id);
    expect(await rows(agent.api)).toEqual([agent.memberId]);
    expect(await rows(scoped.api)).toEqual([scoped.memberId]);
    expect((await report('members', {}, agent.api)).totals.messages_out).toBe(0);
    for (const by of [admin.api, key]) expect(await rows(by)).toEqual(await rows(owner));
    expect(await rows(key)).toHaveLength(4);
  });

  it("An agent cannot read another member's figures by any report (403).", async () => {
    for (const name of ['conversations', 'members', 'channels', 'tags']) {
      const answer = await agent.api.get(`/v1/reports/${name}?member_id=${desk.owner.memberId}`);
      expect([answer.status, answer.error.code]).toEqual([403, 'forbidden']);
      expect((await agent.api.get(`/v1/reports/${name}?member_id=${agent.memberId}`)).status).toBe(200);
    }
  });

  it('A key needs reports:read.', async () => {
    const reader = await world.apiKey(desk, { scopes: ['reports:read'] });
    const other = await world.apiKey(desk, { scopes: ['conversations:read'] });
    expect((await reader.get('/v1/reports/members')).status).toBe(200);
    expect((await other.get('/v1/reports/members')).status).toBe(403);
  });
});

describe('Requests', () => {
  it.each([
    ['2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z', 745],
    ['2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z', 743],
    ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z', 744],
  ])('A month by the hour from %s to %s has %i items in Berlin.', async (from, to, hours) => {
    const query = new URLSearchParams({ from, to, interval: 'hour', timezone: 'Europe/Berlin' });
    const answer = await owner.get(`/v1/reports/conversations?${query.toString()}`);
    expect([answer.status, (answer.data?.items as Json[]).length]).toEqual([200, hours]);
  });

  it.each([
    [{ from: '2026-02-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }, 'from', 'not_before_to'],
    [{ from: '2024-02-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }, 'from', 'too_early'],
    [{ from: '2026-01-01T00:00:00Z', to: '2026-02-02T00:00:00Z', interval: 'hour' }, 'from', 'too_early'],
    [
      { from: '2026-09-30T21:00:00Z', to: '2026-10-31T23:00:00Z', interval: 'hour', timezone: 'Europe/Berlin' },
      'from',
      'too_early',
    ],
    [{ timezone: 'Europe/Atlantis' }, 'timezone', 'unknown'],
    [{ interval: 'month' }, 'interval', 'not_allowed'],
    [{ from: 'yesterday' }, 'from', 'format'],
    [{ channel_id: 'x' }, 'channel_id', 'format'],
    [{ format: 'pdf' }, 'format', 'not_allowed'],
  ])('The query %j is refused at %s (400 %s).', async (query, field, code) => {
    const answer = await owner.get(`/v1/reports/conversations?${new URLSearchParams(query as never).toString()}`);
    expect(answer.status).toBe(400);
    expect(answer.error.details).toEqual([expect.objectContaining({ field, code })]);
  });

  it("By default a report has 30 days by day, in the workspace's time zone, with empty buckets.", async () => {
    await owner.patch('/v1/workspace', { timezone: 'Asia/Kathmandu' });
    const { from, to, interval, timezone, items } = await report('conversations');
    expect([interval, timezone]).toEqual(['day', 'Asia/Kathmandu']);
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(30);
    expect(days).toBeLessThan(30.03);
    expect(items).toHaveLength(31);
    expect((items as Json[]).slice(1, -1).every(({ at }) => String(at).includes('T18:15:00'))).toBe(true);
    expect((items as Json[]).map(one => one.created as number).reduce((sum, one) => sum + one)).toBe(1);
  });

  it('A workspace without conversations has reports with zeros, and no averages.', async () => {
    const empty = await world.desk();
    const { totals: none, items } = await report('conversations', {}, empty.owner.api);
    expect(none).toMatchObject({ created: 0, messages_in: 0, resolved: 0, csat: { count: 0, mean: null } });
    expect(none.first_response).toEqual({ count: 0, mean: null, p50: null, p90: null });
    expect(new Set((items as Json[]).map(one => one.created as number))).toEqual(new Set([0]));
    const rows = async (name: string) => (await report(name, {}, empty.owner.api)).items as Json[];
    expect([(await rows('members')).length, (await rows('channels')).length, await rows('tags')]).toEqual([1, 1, []]);
  });

  it('Two reports of a workspace run at a time, others wait, and reports of another workspace do not wait for them.', async () => {
    const facts = world.app.app.get(ReportsRepository);
    const sum = facts.sum.bind(facts);
    const running = new Set<() => void>();
    const paused = jest.spyOn(facts, 'sum').mockImplementation(async (principal, ...query) => {
      if (principal.workspaceId === desk.workspaceId) await new Promise<void>(resume => running.add(resume));
      return sum(principal, ...query);
    });
    const reports = Array.from({ length: 5 }, () => owner.get('/v1/reports/conversations'));
    await eventually(() => running.size === 2 || undefined);
    expect((await (await world.desk()).owner.api.get('/v1/reports/conversations')).status).toBe(200);
    expect(running.size).toBe(2);
    for (let ended = 0; ended < reports.length; ended += 1) {
      const resume = await eventually(() => running.values().next().value);
      running.delete(resume);
      resume();
    }
    expect((await Promise.all(reports)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    paused.mockRestore();
  });

  it('The thirty-first report within a minute is refused (429).', async () => {
    const limited = await World.start({ RATE_LIMITS: 'reports=30/60' }, { database: world.app.database });
    try {
      const api = limited.as(agent.token);
      const statuses: number[] = [];
      for (let call = 0; call < 31; call += 1) statuses.push((await api.get('/v1/reports/live')).status);
      expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe('Files', () => {
  it('A report as CSV has a line for each item, and names that begin a formula run nothing.', async () => {
    const names = ['=1+1', '@SUM(A1)', '+1', '-1', '\tx', 'a,"b"\nc'];
    for (const name of names) await world.colleague(desk, { name });
    const { format, content, filename } = await report('members', { format: 'csv' });
    expect([format, filename]).toEqual([
      'csv',
      expect.stringMatching(/^members-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/),
    ]);
    const lines = String(content).split('\r\n');
    expect(lines[0]).toMatch(/^member_id,name,created,resolved,reopened,messages_in,/);
    expect(lines.at(-1)).toBe('');
    expect(lines).toHaveLength(2 + 2 + names.length);
    for (const cell of [`,'=1+1,`, `,'@SUM(A1),`, `,'+1,`, `,'-1,`, `,'\tx,`, ',"a,""b""\nc",'])
      expect(content).toContain(cell);
  });

  it('No part of a name is a formula where a spreadsheet splits cells at semicolons, tabs or lines.', async () => {
    const names = ['a;=1+1', 'b\t@SUM(A1)', 'c\n-1', 'd\r+1', '\n=1', '＝1+1', 'e; f-1', '2-1'];
    for (const name of names) await world.colleague(desk, { name });
    const content = String((await report('members', { format: 'csv' })).content);
    const parts = content.split(/[;\t\r\n,]/).map(part => part.replace(/^"/, ''));
    expect(parts.filter(part => /^[=+\-@＝＋－＠]/.test(part))).toEqual([]);
    for (const kept of ['e; f-1', '2-1']) expect(content).toContain(`,${kept},`);
  });

  it('A file without items has the header.', async () => {
    const { content } = await report('tags', { format: 'csv' });
    expect(String(content).split('\r\n')).toHaveLength(2);
    expect(content).toMatch(/^tag,created,/);
  });

  it('Reading a file is in the audit log, reading a report is not.', async () => {
    await report('channels', { format: 'csv' }, agent.api);
    await report('channels');
    const rows = await world.app.database.query<{ actor: Json }>(
      `SELECT actor FROM event WHERE workspace_id = $1 AND type = 'report.exported'`,
      [desk.workspaceId],
    );
    expect(rows.map(({ actor }) => actor as unknown)).toEqual([{ type: 'member', id: agent.memberId }]);
  });
});

describe('The live board', () => {
  it('It shows how many conversations are open, unassigned and waiting, and since when.', async () => {
    const board = await report('live');
    expect(board).toMatchObject({ open: 1, pending: 0, snoozed: 0, unassigned: 1, waiting: 1 });
    expect(board.longest_waiting_seconds).toBeGreaterThanOrEqual(0);
    await act('messages', { content: 'Hello!' });
    await act('snooze');
    expect(await report('live')).toMatchObject({ open: 0, snoozed: 1, waiting: 0, longest_waiting_seconds: null });
  });

  it('It counts more than a hundred contacts that wait.', async () => {
    const crowded = await world.desk();
    const open = async () => world.conversation(await world.visitor(crowded));
    for (let round = 0; round < 11; round += 1) await Promise.all(Array.from({ length: 10 }, open));
    expect(await report('live', {}, crowded.owner.api)).toMatchObject({ open: 110, waiting: 110 });
  });

  it('It shows the members with their load; an agent sees itself.', async () => {
    await act('assign', { member_id: agent.memberId });
    await world.agentSocket(agent);
    const { members } = await report('live');
    const busy = { member_id: agent.memberId, availability: 'online', online: true, open: 1, capacity: 10 };
    expect(members).toContainEqual(expect.objectContaining(busy));
    expect(members).toContainEqual(expect.objectContaining({ member_id: desk.owner.memberId, online: false, open: 0 }));
    expect((await report('live', {}, agent.api)).members).toEqual([expect.objectContaining(busy)]);
  });

  it('An agent sees the conversations of its channels alone.', async () => {
    const other = await world.channel(desk);
    const elsewhere = await world.colleague(desk, { channel_ids: [other.id as string] });
    expect(await report('live', {}, elsewhere.api)).toMatchObject({
      open: 0,
      waiting: 0,
      longest_waiting_seconds: null,
    });
  });
});
