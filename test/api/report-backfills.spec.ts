import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BackfillWorker } from '../../src/modules/reports/backfill.worker.js';
import { FactsRepository } from '../../src/modules/reports/facts.repository.js';
import { ReportRecountsService } from '../../src/modules/reports/report-recounts.service.js';
import { ReportsConsumer } from '../../src/modules/reports/reports.consumer.js';
import { consumed } from '../support/consumed.js';
import { eventually } from '../support/eventually.js';
import { OpenTransactions } from '../support/open-transactions.js';
import type { Json } from '../support/json.js';
import { expectDurations, expectFigures, figuresOf } from '../support/report-figures.js';
import type { Counted } from '../support/report-recount.js';
import { seeded } from '../support/seeded.js';
import type { Agent, Desk } from '../support/world.js';
import { World } from '../support/world.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FROM = Date.parse('2026-03-01T00:00:00Z');
const DAYS = 60;

let world: World;
let desk: Desk;
let agents: Agent[];
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  agents = [await world.colleague(desk), await world.colleague(desk)];
  await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { single_conversation: false });
});

const sql = <T extends object = Json>(text: string, values: unknown[] = []) =>
  world.app.database.query<T>(text, values);

/** Counts everything anew. */
async function backfilled(): Promise<void> {
  const worker = world.app.app.get(BackfillWorker);
  await eventually(async () => {
    await worker.runUntilDone();
    const [row] = await sql<{ done: boolean }>(
      `SELECT queued AND NOT EXISTS (SELECT FROM report_backfill) AS done FROM report_state`,
    );
    return row?.done ? true : undefined;
  }, 20_000);
}

async function recounted(): Promise<void> {
  await world.app.app.get(ReportRecountsService).begin();
  await backfilled();
}

async function read(report: string, query: Record<string, string> = {}): Promise<Json> {
  const range = { from: new Date(FROM).toISOString(), to: new Date(FROM + DAYS * DAY).toISOString() };
  const answer = await desk.owner.api.get(
    `/v1/reports/${report}?${new URLSearchParams({ ...range, ...query }).toString()}`,
  );
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.data as Json;
}

/**
 * Plays a conversation and moves it into the past: begun, answered, resolved and rated at these times.
 * @returns what a report counts of it
 */
async function past(begun: number, answeredAfter: number, resolvedAfter: number, score: number): Promise<Counted[]> {
  const visitor = await world.visitor(desk);
  const { id } = (await world.conversation(visitor)) as { id: string };
  const agent = agents[begun % 2]!;
  const path = `/v1/conversations/${id}`;
  await desk.owner.api.post(`${path}/assign`, { member_id: agent.memberId });
  await agent.api.post(`${path}/messages`, { content: 'Hello!' });
  await agent.api.post(`${path}/resolve`);
  const [answered, resolved] = [begun + answeredAfter, begun + answeredAfter + resolvedAfter];
  const rating = { score, comment: null, rated_at: new Date(resolved).toISOString() };
  await sql(
    `UPDATE conversation SET created_at = $2, first_response_at = $3, resolved_at = $4, csat = $5, csat_member_id = $6
     WHERE id = $1`,
    [id, new Date(begun), new Date(answered), new Date(resolved), JSON.stringify(rating), agent.memberId],
  );
  await sql(
    `UPDATE message SET created_at = CASE WHEN content_type = 'event' THEN $4::timestamptz
                                          WHEN sender_type = 'contact' THEN $2 ELSE $3 END
     WHERE conversation_id = $1`,
    [id, new Date(begun), new Date(answered), new Date(resolved)],
  );
  await sql('DELETE FROM first_response WHERE conversation_id = $1', [id]);
  const subject = { conversationId: id, channelId: desk.channelId, memberId: agent.memberId, tags: [] };
  return [
    { ...subject, kind: 'created', at: begun },
    { ...subject, kind: 'messages_in', at: begun },
    { ...subject, kind: 'messages_out', at: answered },
    { ...subject, kind: 'answered', at: answered, ms: answeredAfter },
    { ...subject, kind: 'resolved', at: resolved, ms: answeredAfter + resolvedAfter },
    { ...subject, kind: 'rated', at: resolved, score },
  ];
}

async function playPast(conversations: number, seed: number): Promise<Counted[]> {
  const random = seeded(seed);
  const counted: Counted[] = [];
  for (let index = 0; index < conversations; index += 1) {
    const begun = FROM + Math.floor(random() * (DAYS - 12) * DAY);
    const wait = () => Math.floor(Math.exp(random() * 19));
    counted.push(...(await past(begun, wait(), wait(), 1 + Math.floor(random() * 5))));
  }
  return counted;
}

const HOUR = 60 * MINUTE;
const NIGHT = [{ from: '22:00', to: '06:00' }];
const EARLY = [{ from: '01:00', to: '04:00' }];
const DAYS_OF_WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const everyDay = Object.fromEntries(DAYS_OF_WEEK.map(day => [day, EARLY]));
const workNights = {
  ...Object.fromEntries(DAYS_OF_WEEK.slice(0, 5).map(day => [day, NIGHT])),
  holidays: [{ date: '2026-03-27', name: 'Fair', hours: [{ from: '10:00', to: '12:00' }] }],
};
type Wait = [what: string, timezone: string, hours: object, from: string, to: string, open: number];
const WAITS: readonly Wait[] = [
  // Thursday's night ends on the holiday, which has two hours of its own and no night
  ['nights and a holiday', 'Asia/Kathmandu', workNights, '2026-03-26T21:00+05:45', '2026-03-28T12:00+05:45', 10],
  // where summer time does not begin, while it begins in Europe
  ['a weekend', 'Asia/Kathmandu', workNights, '2026-03-28T07:00+05:45', '2026-03-31T00:00+05:45', 2],
  ['the hour that summer time skips', 'Europe/Berlin', everyDay, '2026-03-28T12:00+01:00', '2026-03-29T12:00+02:00', 2],
  ['the hour that occurs twice', 'Australia/Sydney', everyDay, '2026-04-04T12:00+11:00', '2026-04-05T12:00+10:00', 4],
];

describe('Business hours', () => {
  it.each(WAITS)(
    'A wait over %s in %s counts its open hours.',
    async (_what, timezone, business_hours, from, to, open) => {
      await desk.owner.api.patch('/v1/workspace', { timezone, business_hours });
      const [begun, answered] = [Date.parse(from), Date.parse(to)];
      await past(begun, answered - begun, 0, 5);
      await recounted();
      const { totals, items } = await read('conversations', { interval: 'day' });
      for (const name of ['first_response', 'resolution']) {
        expect(totals[name]).toMatchObject({ count: 1, mean: (answered - begun) / 1_000 });
        expect(totals[`${name}_business`]).toMatchObject({ count: 1, mean: (open * HOUR) / 1_000 });
      }
      // each day begins at midnight of the time zone, before and after the change
      const clock = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'short' });
      const begins = (items as Json[]).slice(1).map(({ at }) => clock.format(new Date(at as string)));
      expect(new Set(begins)).toEqual(new Set(['00:00']));
    },
  );
});

describe('The backfill', () => {
  it('Counts of any bucket in any time zone equal a recount, percentiles are within 5 %.', async () => {
    const counted = await playPast(60, 3);
    await recounted();
    for (const [interval, timezone] of [
      ['day', 'UTC'],
      ['day', 'Asia/Kathmandu'],
      ['day', 'America/New_York'],
      ['week', 'Europe/Berlin'],
    ] as const) {
      const { items, totals, to } = await read('conversations', { interval, timezone });
      expectFigures(totals as Json, figuresOf(counted));
      for (const [index, item] of (items as Json[]).entries()) {
        const [begin, end] = [item.at, (items as Json[])[index + 1]?.at ?? to].map(at => Date.parse(at as string));
        expectFigures(item, figuresOf(counted.filter(({ at }) => at >= begin! && at < end!)));
      }
    }
    for (const item of (await read('members')).items as Json[]) {
      const own = counted.filter(one => one.memberId === item.member_id);
      const { csat, resolution, messages_out } = figuresOf(own);
      expect([item.csat.scores, item.messages_out]).toEqual([csat.scores, messages_out]);
      expectDurations(item.resolution as Json, resolution as Json);
    }
  });

  it('A backfill that fails anywhere goes on where it was, and counts nothing twice.', async () => {
    const counted = await playPast(20, 5);
    const facts = world.app.app.get(FactsRepository);
    const add = facts.add.bind(facts);
    let failures = 2;
    // fails after the effect, so that the transaction must undo it
    facts.add = async (...acts) => {
      await add(...acts);
      if (failures-- > 0) throw new Error('the instance is killed');
    };
    try {
      await recounted();
    } finally {
      facts.add = add;
    }
    expect(failures).toBeLessThan(0);
    expectFigures((await read('conversations')).totals as Json, figuresOf(counted));
  });

  it('It waits for transactions that may still commit something from before.', async () => {
    const counted = await past(FROM, 60_000, 60_000, 5);
    const worker = world.app.app.get(BackfillWorker);
    const transactions = new OpenTransactions(() => world.app.database.url);
    try {
      await transactions.begin();
      await world.app.app.get(ReportRecountsService).begin();
      await eventually(async () => {
        await worker.runUntilDone();
        return (await sql('SELECT FROM report_backfill')).length > 0 || undefined;
      });
      await worker.runUntilDone();
      expect((await sql('SELECT FROM report_fact WHERE workspace_id = $1', [desk.workspaceId])).length).toBe(0);
    } finally {
      await transactions.endAll();
    }
    await backfilled();
    expectFigures((await read('conversations')).totals as Json, figuresOf(counted));
  });

  it('A rating that replaces one from before the backfill counts once.', async () => {
    await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { csat_enabled: true });
    const visitor = await world.visitor(desk);
    const { id } = (await world.conversation(visitor)) as { id: string };
    const rate = (score: number) => visitor.api.post(`/v1/widget/conversations/${id}/rating`, { score });
    await agents[0]!.api.post(`/v1/conversations/${id}/messages`, { content: 'Hello!' });
    await agents[0]!.api.post(`/v1/conversations/${id}/resolve`);
    await rate(1);
    await recounted();
    await rate(5);
    await consumed(world, ReportsConsumer);
    const answer = await desk.owner.api.get('/v1/reports/conversations');
    expect(answer.data.totals).toMatchObject({ created: 1, resolved: 1, csat: { scores: [0, 0, 0, 0, 1] } });
  });
});
