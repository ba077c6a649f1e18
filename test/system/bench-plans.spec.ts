import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bench } from '../support/bench.js';
import type { Plan } from '../support/bench.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';

const { judgePlan, judgePlans, drawPlan, reads } = await bench('measure/plans.js');
const { readPlans } = await bench('explain.js');

describe('Judging a query plan', () => {
  const large = new Set(['talk']);
  let database: TestDatabase;

  beforeAll(async () => {
    database = await emptyDatabase();
    await database.query('CREATE TABLE talk (id int PRIMARY KEY, at int NOT NULL, place int NOT NULL)');
    await database.query('INSERT INTO talk SELECT n, n, n % 7 FROM generate_series(1, 5000) AS n');
    await database.query('CREATE INDEX ix_talk_at ON talk (at, id)');
    await database.query('CREATE TABLE tally AS SELECT 1 AS count');
    await database.query('ANALYZE');
  });
  afterAll(() => database.drop());

  const planOf = async (statement: string): Promise<Plan> => {
    const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, TIMING off, FORMAT json) ${statement}`,
    );
    if (!row) throw new Error('no plan');
    return row['QUERY PLAN'][0].Plan;
  };

  it('A plan that reads one page from an index has no faults.', async () => {
    const plan = await planOf('SELECT * FROM talk ORDER BY at DESC, id DESC LIMIT 10');
    expect(judgePlan(plan, large)).toEqual({ unindexed: 0, sorts: 0, counts: 0, rowsRead: 10, rowsSorted: 0 });
    expect(drawPlan(plan)).toEqual(['Limit (10 rows)', '  Index Scan Backward on ix_talk_at (10 rows)']);
  });

  it('A plan that reads a large table completely and sorts it is reported for both.', async () => {
    const plan = await planOf('SELECT * FROM talk WHERE place = 3 ORDER BY place + at LIMIT 10');
    expect(judgePlan(plan, large)).toMatchObject({ unindexed: 1, sorts: 1, rowsRead: 5000 });
    expect(judgePlan(plan, large).rowsSorted).toBeGreaterThan(700);
  });

  it('A plan that reads a whole index for its order, as without sequential scans, is reported as well.', async () => {
    await database.query('SET enable_seqscan = off');
    const full = await planOf('SELECT * FROM talk WHERE place = 3 ORDER BY at, id');
    const page = await planOf('SELECT * FROM talk WHERE at > 4000 ORDER BY at, id');
    await database.query('SET enable_seqscan = on');
    expect(drawPlan(full)[0]).toMatch(/Index Scan on ix_talk_at/);
    expect(judgePlan(full, large)).toMatchObject({ unindexed: 1, rowsRead: 5000 });
    expect(judgePlan(page, large)).toMatchObject({ unindexed: 0, rowsRead: 1000 });
  });

  it('A plan that sorts one page, or merges lists that each end after a page, is accepted at any size.', async () => {
    const lists = `SELECT near.* FROM unnest(ARRAY[1, 2, 3]) AS place (of)
      CROSS JOIN LATERAL (SELECT * FROM talk WHERE talk.place = place.of ORDER BY at DESC, id DESC LIMIT 40) AS near`;
    const merged = judgePlan(await planOf(`${lists} ORDER BY near.at DESC LIMIT 40`), large);
    expect(merged).toMatchObject({ sorts: 0, rowsSorted: 120 });
    const page = judgePlan(await planOf('SELECT * FROM talk WHERE id < 40 ORDER BY place + at'), large);
    expect(page).toMatchObject({ sorts: 0, rowsSorted: 39 });
    const unended = judgePlan(await planOf('SELECT * FROM talk WHERE id < 90 ORDER BY place + at LIMIT 10'), large);
    expect(unended).toMatchObject({ sorts: 1, rowsSorted: 89 });
  });

  it('An incremental sort is accepted if it ends with the page, however many rows a filter removes, and else reported.', async () => {
    const sort = async (rest: string) => {
      const plan = await planOf(`SELECT * FROM talk ${rest}`);
      expect(drawPlan(plan).join()).toContain('Incremental Sort');
      return judgePlan(plan, large);
    };
    expect(await sort('ORDER BY at, place LIMIT 40')).toMatchObject({ sorts: 0 });
    expect(await sort('WHERE place = ANY(ARRAY[1, 2]) ORDER BY at, id + place LIMIT 40')).toMatchObject({ sorts: 0 });
    expect(await sort('ORDER BY at, place LIMIT 10 OFFSET 400')).toMatchObject({ sorts: 1 });
  });

  it('A plan that counts rows of a large table is reported; adding up a small one is not.', async () => {
    expect(judgePlan(await planOf('SELECT count(*) FROM talk WHERE at < 100'), large).counts).toBe(1);
    const limited = await planOf('SELECT count(*) FROM (SELECT FROM talk WHERE at < 100 LIMIT 5) AS first');
    expect(judgePlan(limited, large).counts).toBe(0);
    const small = await planOf('SELECT sum(count) FROM tally');
    expect(judgePlan(small, large)).toEqual({ unindexed: 0, sorts: 0, counts: 0, rowsRead: 0, rowsSorted: 0 });
    expect(reads(small, large)).toBe(false);
  });

  it('A plan is judged together with its subplans, its subqueries, and the other statements of the request.', async () => {
    const nested = await planOf('SELECT 1 WHERE 5 = (SELECT max(place + at) FROM talk)');
    expect(judgePlan(nested, large)).toMatchObject({ unindexed: 1, counts: 1 });
    expect(judgePlans([nested, nested], large)).toMatchObject({ unindexed: 2, counts: 2, rowsRead: 10_000 });
  });
});

describe('The database log', () => {
  const loggedPlan = (name: string, text: string) =>
    `2026-01-02 03:04:05.678 UTC ${name} [42] LOG:  duration: 0.034 ms  plan:\n` +
    `\t{\n\t  "Query Text": "${text}",\n\t  "Plan": {\n\t    "Node Type": "Result"\n\t  }\n\t}\n`;

  it('The log reader returns the plans of one database and ignores everything else.', () => {
    const log =
      '\t  "a piece": 1\n' +
      loggedPlan('inbox', 'SELECT 1') +
      '2026-01-02 03:04:05.679 UTC  [7] LOG:  parameter "x" changed\n' +
      loggedPlan('another', 'SELECT 2') +
      loggedPlan('inbox', 'SELECT 3');
    expect(readPlans(log, 'inbox')).toEqual([
      { text: 'SELECT 1', plan: { 'Node Type': 'Result' } },
      { text: 'SELECT 3', plan: { 'Node Type': 'Result' } },
    ]);
  });
});
