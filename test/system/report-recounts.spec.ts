import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ReportsConsumer } from '../../src/modules/reports/reports.consumer.js';
import { ReportRecountsService } from '../../src/modules/reports/report-recounts.service.js';
import { BackfillWorker } from '../../src/modules/reports/backfill.worker.js';
import { MEASURES } from '../../src/modules/reports/fact.js';
import { FactsRepository } from '../../src/modules/reports/facts.repository.js';
import { NIL_ID } from '../../src/kernel/ids.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { consumed } from '../support/consumed.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { RACE_SEEDS } from '../support/race.js';
import { expectFigures, figuresOf } from '../support/report-figures.js';
import { ReportPlay } from '../support/report-play.js';
import type { Counted } from '../support/report-recount.js';
import { recount } from '../support/report-recount.js';
import { seeded } from '../support/seeded.js';
import { World } from '../support/world.js';

/** Talks of the property. */
const SEEDS = Math.ceil(RACE_SEEDS / 4);
const STEPS = 60;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const settle = (of = world) => consumed(of, ReportsConsumer);

async function read(play: ReportPlay, report: string, query = ''): Promise<Json> {
  const answer = await play.desk.owner.api.get(`/v1/reports/${report}?${query}`);
  if (answer.status !== 200) throw new Error(`${report}: ${JSON.stringify(answer.body)}`);
  return answer.data as Json;
}

/** Compares every report of a desk with a recount of its log. */
async function expectRecount(play: ReportPlay, query = ''): Promise<void> {
  const all = await recount(world, play.desk.workspaceId);
  const of = (fits: (one: Counted) => boolean) => figuresOf(all.filter(fits));
  const whole = await read(play, 'conversations', query);
  expectFigures(whole.totals, figuresOf(all));
  expect(all.length).toBeGreaterThan(10);
  expect(await wrongTotals()).toEqual([]);
  const item = (items: Json[], key: string, value: string) => items.find(one => one[key] === value);
  const [channels, members, tags] = [
    await read(play, 'channels', query),
    await read(play, 'members', query),
    await read(play, 'tags', query),
  ];
  for (const id of play.channelIds) {
    const expected = of(({ channelId }) => channelId === id);
    expectFigures(item(channels.items, 'channel_id', id), expected);
    expectFigures(
      (await read(play, 'conversations', `channel_id=${id}&interval=hour&from=${hourAgo()}`)).totals,
      expected,
    );
  }
  for (const { memberId: id } of play.agents) {
    expectFigures(
      item(members.items, 'member_id', id),
      of(({ memberId }) => memberId === id),
    );
  }
  const [{ memberId: first } = { memberId: '' }] = play.agents;
  const ofFirst = (await read(play, 'tags', `${query}&member_id=${first}`)).items as Json[];
  for (const { tag } of tags.items as Json[]) {
    expectFigures(
      item(tags.items, 'tag', tag),
      of(one => one.tags.includes(tag)),
    );
    expectFigures(
      item(ofFirst, 'tag', tag),
      of(one => one.tags.includes(tag) && one.memberId === first),
    );
  }
}

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

describe('Facts', () => {
  it.each(Array.from({ length: SEEDS }, (_seed, index) => index + 1))(
    'Random talks are counted as a recount of the log counts them (seed %i).',
    async seed => {
      const random = seeded(seed);
      const play = await ReportPlay.begin(world, random);
      for (let step = 0; step < STEPS; step += 1) {
        await play.step();
        if (random() < 0.2) await settle();
      }
      await settle();
      await expectRecount(play);
    },
  );

  it('A consumer that fails anywhere counts nothing twice and misses nothing.', async () => {
    const random = seeded(7);
    const settleAtLast = async (): Promise<void> => {
      await eventually(() =>
        settle()
          .then(() => true)
          .catch(() => undefined),
      );
    };
    const play = await ReportPlay.begin(world, random, settleAtLast);
    const facts = world.app.app.get(FactsRepository);
    const add = facts.add.bind(facts);
    // fails after the effect, so that the transaction must undo it
    facts.add = async (...acts) => {
      await add(...acts);
      if (random() < 0.5) throw new Error('the instance is killed');
    };
    try {
      for (let step = 0; step < STEPS; step += 1) {
        await play.step();
        await world.app.app
          .get(ReportsConsumer)
          .catchUp()
          .catch(() => undefined);
      }
    } finally {
      facts.add = add;
    }
    await settle();
    await expectRecount(play);
  });

  it('Two instances that count at the same time count everything once.', async () => {
    const other = await World.start({}, { database: world.app.database });
    try {
      const play = await ReportPlay.begin(world, seeded(11));
      for (let step = 0; step < STEPS; step += 1) {
        await play.step();
        await Promise.all([world, other].map(instance => instance.app.app.get(ReportsConsumer).catchUp()));
      }
      await settle();
      await expectRecount(play);
    } finally {
      await other.stop();
    }
  });

  it('Erasing contacts at any time changes no count and no score, and leaves nothing personal in the facts.', async () => {
    const play = await ReportPlay.begin(world, seeded(13));
    for (let step = 0; step < STEPS; step += 1) {
      await play.step();
      if (step % 10 === 9) await play.erase();
    }
    await settle();
    await expectRecount(play);
    const rows = await world.app.database.query<{ text: string }>(
      `SELECT act::text AS text FROM report_outcome WHERE workspace_id = $1`,
      [play.desk.workspaceId],
    );
    const keys = new Set(rows.flatMap(({ text }) => Object.keys(JSON.parse(text) as object)));
    expect([...keys].sort()).toEqual(['at', 'channelId', 'counts', 'duration', 'memberId', 'tagIds', 'workspaceId']);
  });

  it('Counting anew from the tables, while talks go on, gives the same totals.', async () => {
    const play = await ReportPlay.begin(world, seeded(17));
    for (let step = 0; step < STEPS; step += 1) await play.step();
    await settle();
    await world.app.app.get(ReportRecountsService).begin();
    for (let step = 0; step < STEPS; step += 1) await play.step();
    await backfilled();
    for (let step = 0; step < 10; step += 1) await play.step();
    await settle();
    const { totals } = await read(play, 'conversations');
    const all = await recount(world, play.desk.workspaceId);
    const { first_response: ignored, ...expected } = figuresOf(all);
    const counts = (figures: Json) => [figures.created, figures.resolved, figures.reopened, figures.csat.scores];
    expect(ignored.count).toBeGreaterThan(0);
    expect(counts(totals)).toEqual(counts(expected));
    expect([totals.messages_in, totals.messages_out, totals.bot_messages]).toEqual([
      expected.messages_in,
      expected.messages_out,
      expected.bot_messages,
    ]);
  });

  it('Hours and days equal a recount, also for what is counted after they were summed up.', async () => {
    const random = seeded(19);
    const play = await ReportPlay.begin(world, random);
    const nextDay = Math.floor(Date.now() / DAY + 1) * DAY;
    const tomorrow = `to=${new Date(nextDay + DAY).toISOString()}`;
    for (const until of [Date.now() + HOUR, nextDay, nextDay + DAY]) {
      for (let step = 0; step < STEPS / 2; step += 1) await play.step();
      await settle();
      await expectRecount(play, tomorrow);
      await sumUp(until);
      await expectRecount(play, tomorrow);
    }
    for (let step = 0; step < STEPS / 2; step += 1) await play.step();
    await settle();
    await expectRecount(play, tomorrow);
    const spans = await world.app.database.query<{ span: number; sent: string }>(
      `SELECT span, sum(messages_in) AS sent FROM report_fact
       WHERE workspace_id = $1 AND member_id = $2 AND tag_id = $2 GROUP BY 1 ORDER BY 1`,
      [play.desk.workspaceId, NIL_ID],
    );
    expect(spans.map(({ span }) => span)).toEqual([15, 60, 360, 1_440]);
    expect(new Set(spans.map(({ sent }) => sent)).size).toBe(1);
  });
});

/** Finds sums of all channels that differ from the sums of each channel. */
function wrongTotals(): Promise<unknown[]> {
  const key = 'workspace_id, member_id, tag_id, span, at';
  const measures = MEASURES.map(({ name }) => name);
  return world.app.database.query(`
    WITH sums AS (
      SELECT ${key}, ${measures.map(name => `sum(${name}) AS ${name}`).join(', ')} FROM report_fact GROUP BY ${key}
    ),
    totals AS (SELECT ${[key, ...measures].join(', ')} FROM report_total)
    (TABLE sums EXCEPT TABLE totals) UNION ALL (TABLE totals EXCEPT TABLE sums)`);
}

/** Lets the hours and days up to a time end. */
async function sumUp(until: number): Promise<void> {
  const { app } = world.app;
  const facts = app.get(FactsRepository);
  await app.get(UnitOfWork).run(async () => {
    await facts.lock();
    await facts.sumUp(new Date(until));
  });
}

async function backfilled(): Promise<void> {
  const worker = world.app.app.get(BackfillWorker);
  await eventually(async () => {
    await worker.runUntilDone();
    const [row] = await world.app.database.query<{ done: boolean }>(
      `SELECT queued AND NOT EXISTS (SELECT FROM report_backfill) AS done FROM report_state`,
    );
    return row?.done ? true : undefined;
  }, 20_000);
}
