import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import type { Agent } from '../support/world.js';
import { unique } from '../support/world.js';

const PATH = '/v1/conversations';
const { PROPERTY_RUNS = '40', PROPERTY_SEED } = process.env;
const settings = {
  numRuns: Number(PROPERTY_RUNS),
  ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }),
};

const STATUSES = ['pending', 'open', 'snoozed', 'resolved'];
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'];
const TAGS = ['vip', 'late', 'a,b'];
const DAY = 86_400_000;

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);

/** Writes what the service writes with each change, for rows that were written by hand. */
async function writeFacets(workspaceId: string): Promise<void> {
  await sql('DELETE FROM conversation_facet WHERE workspace_id = $1', [workspaceId]);
  await sql(
    `INSERT INTO conversation_facet (workspace_id, conversation_id, facet, active_at)
     SELECT workspace_id, id, facet, last_activity_at FROM conversation CROSS JOIN LATERAL unnest(
       ARRAY(SELECT 'tag:' || tag_id FROM unnest(tag_ids) AS tag_id)
         || CASE WHEN priority <> 'none' THEN ARRAY['priority:' || priority] END
         || CASE WHEN csat IS NOT NULL THEN ARRAY['csat:' || (csat ->> 'score')] END
         || CASE WHEN unread_agents > 0 THEN ARRAY['unread'] END) AS facet
     WHERE workspace_id = $1`,
    [workspaceId],
  );
}

const findWrongFacets = (workspaceId: string) =>
  sql(
    `WITH truth AS (
       SELECT id AS conversation_id, facet, last_activity_at AS active_at FROM conversation CROSS JOIN LATERAL unnest(
         ARRAY(SELECT 'tag:' || tag_id FROM unnest(tag_ids) AS tag_id)
           || CASE WHEN priority <> 'none' THEN ARRAY['priority:' || priority] END
           || CASE WHEN csat IS NOT NULL THEN ARRAY['csat:' || (csat ->> 'score')] END
           || CASE WHEN unread_agents > 0 THEN ARRAY['unread'] END
           || ARRAY(
             SELECT 'participant:' || member_id FROM participant
             WHERE participant.conversation_id = conversation.id AND left_at IS NULL
               AND (assigned_at IS NOT NULL OR wrote_at IS NOT NULL OR mentioned_seq IS NOT NULL))
           || ARRAY(
             SELECT 'mentioned:' || member_id FROM participant
             WHERE participant.conversation_id = conversation.id AND mentioned_seq IS NOT NULL)) AS facet
       WHERE workspace_id = $1
     )
     SELECT conversation_id, facet, active_at, truth IS NULL AS surplus FROM truth
     FULL JOIN (SELECT conversation_id, facet, active_at FROM conversation_facet WHERE workspace_id = $1) AS stored
       USING (conversation_id, facet, active_at)
     WHERE truth IS NULL OR stored IS NULL`,
    [workspaceId],
  );

async function listAll(query: Record<string, string>, as: Caller = owner, limit = 200): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const parameters: URLSearchParams = new URLSearchParams({
      ...query,
      limit: String(limit),
      ...(cursor ? { cursor } : {}),
    });
    const answer: Answer<Json> = await as.get(`${PATH}?${parameters.toString()}`);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    items.push(...(answer.data.items as Json[]));
    cursor = answer.data.next_cursor as string | null;
  }
  return items;
}
const numbersOf = async (query: Record<string, string>, as?: Caller) =>
  (await listAll(query, as)).map(({ number }) => number as number);

describe('Filters of the inbox', () => {
  describe('For random conversations', () => {
    let limited: Agent;
    let channelIds: string[];
    let memberIds: string[];
    let contactIds: string[];
    let rows: Json[];
    let now: number;

    beforeEach(async () => {
      const shops = await race(2, () => world.channel(desk));
      channelIds = [desk.channelId, ...shops.map(({ id }) => id as string)];
      limited = await world.colleague(desk, { channel_ids: channelIds.slice(1) });
      memberIds = [desk.owner.memberId, limited.memberId];
      contactIds = (await race(3, () => world.visitor(desk, { name: unique('Vera') }))).map(one => one.contactId);
      now = Math.floor(Date.now() / 1_000) * 1_000;
      await seed(240);
      rows = await listAll({ sort: 'created' });
      expect(rows).toHaveLength(240);
    });

    /** Every value occurs with every other one, in no order; times are often equal or a few seconds apart. */
    async function seed(count: number): Promise<void> {
      const tagIds = TAGS.map((_name, index) => `01960000-0000-7000-9000-00000000000${index}`);
      await sql(
        `INSERT INTO tag (workspace_id, id, name, key) SELECT $1, id, name, name FROM unnest($2::uuid[], $3::text[]) AS t (id, name)`,
        [desk.workspaceId, tagIds, TAGS],
      );
      await sql(
        `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, priority, assignee_id, single,
           tag_ids, csat, unread_agents, waiting_since, last_activity_at, created_at, updated_at)
         SELECT $1, ('01960000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n,
           ($2::uuid[])[1 + hash(1, 3)], ($3::uuid[])[1 + hash(2, 3)], state, ($4::text[])[1 + hash(4, 5)],
           ($5::uuid[])[1 + hash(5, 3)], false, ARRAY(SELECT unnest(($6::uuid[])[1:hash(6, 4)])),
           CASE WHEN hash(7, 2) = 0 THEN jsonb_build_object('score', 1 + hash(8, 5), 'comment', null,
             'rated_at', '2026-01-31T09:30:00.123000Z') END,
           greatest(0, hash(9, 4) - 1), CASE WHEN state <> 'resolved' AND hash(10, 2) = 0 THEN at END, at, at,
           at + hash(11, 3) * interval '1 day'
         FROM generate_series(1, $7) AS n
         CROSS JOIN LATERAL (SELECT ($8::text[])[1 + abs(hashtext('s' || n)) % 4] AS state,
           $9::timestamptz - hash(12, 10) * interval '5 hours' - hash(13, 12) * interval '0.7 seconds' AS at) AS drawn`.replaceAll(
          /hash\((\d+), (\d+)\)/g,
          (_call, salt: string, size: string) => `(abs(hashtext('${salt} ' || n)) % ${size})`,
        ),
        [desk.workspaceId, channelIds, contactIds, PRIORITIES, memberIds, tagIds, count, STATUSES, new Date(now)],
      );
      await writeFacets(desk.workspaceId);
    }

    const several = (values: readonly string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 });
    const filters = () =>
      fc.record(
        {
          status: several(STATUSES),
          assignee: several(['me', 'none', ...memberIds]),
          channel_id: several(channelIds),
          contact_id: fc.constantFrom(...contactIds),
          tag: several(['VIP', 'late', 'a,b', 'unknown']),
          priority: several(PRIORITIES),
          csat: fc.constantFrom('1', '2', '3', '4', '5', 'any', 'none'),
          unread: fc.constantFrom('true', 'false'),
          waiting_longer_than: fc.constantFrom('0', '36000', '90000'),
          updated_since: fc.constantFrom(0, 1, 2).map(days => new Date(now - days * DAY).toISOString()),
          sort: fc.constantFrom('last_activity', 'created', 'waiting', 'priority'),
          order: fc.constantFrom('asc', 'desc'),
        },
        { requiredKeys: [] },
      );
    type Filters = ReturnType<typeof filters> extends fc.Arbitrary<infer T> ? T : never;

    function matches(row: Json, chosen: Filters, agent: Agent, scope: string[] | null): boolean {
      const tags = (row.tags as string[]).map(name => name.toLowerCase());
      const waiting = row.waiting_since === null ? null : Date.parse(row.waiting_since as string);
      const assignees = chosen.assignee?.map(one => (one === 'me' ? agent.memberId : one === 'none' ? null : one));
      const score = (row.csat as { score: number } | null)?.score;
      return [
        scope?.includes(row.channel_id as string) ?? true,
        chosen.status?.includes(row.status as string) ?? true,
        assignees?.includes(row.assignee_id as string | null) ?? true,
        chosen.channel_id?.includes(row.channel_id as string) ?? true,
        chosen.contact_id === undefined || chosen.contact_id === row.contact_id,
        chosen.tag?.some(tag => tags.includes(tag.toLowerCase())) ?? true,
        chosen.priority?.includes(row.priority as string) ?? true,
        chosen.csat === undefined ||
          (chosen.csat === 'any' ? score !== undefined : chosen.csat === String(score ?? 'none')),
        chosen.unread === undefined || String((row.unread as { agents: number }).agents > 0) === chosen.unread,
        chosen.waiting_longer_than === undefined ||
          (waiting !== null && waiting <= Date.now() - Number(chosen.waiting_longer_than) * 1_000),
        chosen.updated_since === undefined || Date.parse(row.updated_at as string) >= Date.parse(chosen.updated_since),
        chosen.sort !== 'waiting' || waiting !== null,
      ].every(Boolean);
    }

    const KEYS: Record<string, (row: Json) => unknown[]> = {
      last_activity: row => [row.last_activity_at, row.id],
      created: row => [row.id],
      waiting: row => [row.waiting_since, row.id],
      priority: row => [PRIORITIES.indexOf(row.priority as string), row.last_activity_at, row.id],
    };

    function sorted(list: Json[], sort = 'last_activity', order?: string): number[] {
      const keyOf = KEYS[sort] ?? (() => []);
      const ascending = (order ?? (sort === 'waiting' ? 'asc' : 'desc')) === 'asc';
      const compare = (a: unknown[], b: unknown[]): number => {
        const index = a.findIndex((value, at) => value !== b[at]);
        return index < 0 ? 0 : (a[index] as string) < (b[index] as string) ? -1 : 1;
      };
      return [...list]
        .sort((a, b) => compare(keyOf(a), keyOf(b)) * (ascending ? 1 : -1))
        .map(({ number }) => number as number);
    }

    it('The list equals a scan of all conversations by every filter and order, in pages that cover each exactly once.', async () => {
      const callers = [
        [desk.owner, null],
        [limited, channelIds.slice(1)],
      ] as const;
      const run = fc.asyncProperty(
        filters(),
        fc.constantFrom(...callers),
        fc.constantFrom(7, 50, 200),
        async (chosen, [agent, scope], limit) => {
          const query = Object.fromEntries(
            Object.entries(chosen).map(([name, value]) => [
              name,
              Array.isArray(value) ? value.map(one => one.replace(',', '\\,')).join(',') : value,
            ]),
          );
          const listed = (await listAll(query, agent.api, limit)).map(({ number }) => number as number);
          const expected = rows.filter(row => matches(row, chosen, agent, scope && [...scope]));
          expect(listed).toEqual(sorted(expected, chosen.sort, chosen.order));
        },
      );
      await fc.assert(run, settings);
    }, 120_000);

    it('A page by priority stays in place while conversations are added and moved between the pages.', async () => {
      const first = (await owner.get(`${PATH}?sort=priority&limit=60`)).data;
      const moved = rows.find(row => row.priority === 'none' && row.status !== 'resolved');
      await owner.patch(`${PATH}/${moved?.id as string}`, { priority: 'urgent' });
      const rest = await listAll({ sort: 'priority' });
      const seen = first.items.map(({ number }: Json) => number as number);
      const second = (await owner.get(`${PATH}?sort=priority&limit=200&cursor=${first.next_cursor as string}`)).data;
      const all = [...seen, ...second.items.map(({ number }: Json) => number as number)];
      expect(new Set(all).size).toBe(all.length);
      expect(rest[0]?.priority).toBe('urgent');
    });
  });

  it('A conversation is found as unread within two seconds of a message, and no longer once it is read or answered.', async () => {
    const visitors = await race(2, () => world.visitor(desk));
    const ids: string[] = [];
    for (const visitor of visitors) ids.push((await world.conversation(visitor)).id as string);
    const becomes = (...expected: number[]) =>
      eventually(async () => {
        const listed = (await numbersOf({ unread: 'true' })).sort((a, b) => a - b);
        return JSON.stringify(listed) === JSON.stringify(expected) || undefined;
      }, 2_500);
    await becomes(1, 2);
    await owner.post(`${PATH}/${ids[0]}/read`, { seq: 1 });
    expect(await numbersOf({ unread: 'true' })).toEqual([2]);
    await owner.post(`${PATH}/${ids[1]}/messages`, { content: 'Hello!' });
    expect(await numbersOf({ unread: 'true' })).toEqual([]);
    expect((await numbersOf({ unread: 'false' })).sort((a, b) => a - b)).toEqual([1, 2]);
    for (const [index, visitor] of visitors.entries())
      await visitor.api.post(`/v1/widget/conversations/${ids[index]}/messages`, { content: 'And now?' });
    await becomes(1, 2);
    await eventually(async () => (await findWrongFacets(desk.workspaceId)).length === 0 || undefined, 2_500);
  });

  it('What conversations are found by equals a recount after concurrent changes and messages of every kind.', async () => {
    const visitors = await race(4, () => world.visitor(desk));
    const ids = await race(4, async index => (await world.conversation(visitors[index] as never)).id as string);
    await race(4, async index => {
      const path = `${PATH}/${ids[index]}`;
      for (let round = 0; round < 6; round += 1) {
        const answers = await Promise.all([
          owner.patch(path, { tags: [TAGS[round % 3] ?? 'x', `own ${index}`], priority: PRIORITIES[round % 5] }),
          owner.post(`${path}/${round % 2 ? 'resolve' : 'reopen'}`, {}),
          owner.post(`${path}/messages`, { content: 'Hello' }),
          visitors[index]?.api.post('/v1/widget/conversations', { message: { content: 'Hello' } }),
          owner.post(`${path}/read`, { seq: round }),
        ]);
        for (const answer of answers) expect([200, 201, 409, 422]).toContain(answer?.status);
      }
    });
    await eventually(async () => (await findWrongFacets(desk.workspaceId)).length === 0 || undefined, 3_000);
  });

  it('A page of a list by tag is sorted exactly, even before its order has followed the newest messages.', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const visitor = await world.visitor(desk);
      ids.push((await world.conversation(visitor)).id as string);
      await owner.patch(`${PATH}/${ids[index]}`, { tags: ['vip'], priority: 'high' });
    }
    for (const [first, query] of [
      [0, { tag: 'vip' }],
      [1, { tag: 'vip', sort: 'priority' }],
      [2, { priority: 'high' }],
    ] as const) {
      await owner.post(`${PATH}/${ids[first]}/messages`, { content: 'Hello' });
      const listed = await listAll(query);
      expect(listed).toHaveLength(3);
      expect(listed[0]?.id).toBe(ids[first]);
    }
  });

  it('A frequent tag is found on recent and on old conversations alike, in pages that cover each exactly once.', async () => {
    const visitor = await world.visitor(desk);
    const tagIds = ['01960000-0000-7000-9000-0000000000a1', '01960000-0000-7000-9000-0000000000a2'];
    await sql(
      `INSERT INTO tag (workspace_id, id, name, key) VALUES ($1, $2, 'old', 'old'), ($1, $3, 'common', 'common')`,
      [desk.workspaceId, ...tagIds],
    );
    await sql(
      `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, tag_ids, last_activity_at, created_at)
       SELECT $1, ('01960000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n, $2, $3, 'resolved', false,
         CASE WHEN n <= 2100 THEN ARRAY[$4::uuid] WHEN n % 5 = 0 THEN ARRAY[$5::uuid] ELSE '{}' END,
         now() - (13000 - n) * interval '1 minute', now()
       FROM generate_series(1, 13000) AS n`,
      [desk.workspaceId, desk.channelId, visitor.contactId, ...tagIds],
    );
    await writeFacets(desk.workspaceId);
    const numbers = Array.from({ length: 13_000 }, (_nothing, index) => 13_000 - index);
    const old = numbers.filter(number => number <= 2_100);
    const common = numbers.filter(number => number > 2_100 && number % 5 === 0);
    expect(await numbersOf({ tag: 'old' })).toEqual(old);
    expect(await numbersOf({ tag: 'common' })).toEqual(common);
    expect(await numbersOf({ tag: 'common', order: 'asc' })).toEqual([...common].reverse());
    expect(await numbersOf({ tag: 'common', sort: 'created' })).toEqual(common);
    expect(await numbersOf({ tag: 'old,common', sort: 'created', order: 'asc' })).toEqual(
      [...old, ...common].sort((a, b) => a - b),
    );
  });

  it('The contact who has waited longest is found by the seconds of waiting.', async () => {
    await world.conversation(await world.visitor(desk));
    expect(await numbersOf({ waiting_longer_than: '3600' })).toEqual([]);
    await sql(`UPDATE conversation SET waiting_since = waiting_since - interval '2 hours' WHERE workspace_id = $1`, [
      desk.workspaceId,
    ]);
    expect(await numbersOf({ waiting_longer_than: '3600' })).toEqual([1]);
  });

  it('The count of waiting contacts stops at 100 and follows the scope of the caller.', async () => {
    const visitor = await world.visitor(desk);
    const limited = await world.colleague(desk, { channel_ids: [(await world.channel(desk)).id as string] });
    await sql(
      `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at, waiting_since)
       SELECT $1, gen_random_uuid(), n, $2, $3, 'open', false, now(), now() FROM generate_series(1, 130) AS n`,
      [desk.workspaceId, desk.channelId, visitor.contactId],
    );
    expect((await owner.get(`${PATH}/counts`)).data.waiting).toBe(100);
    expect((await limited.api.get(`${PATH}/counts`)).data.waiting).toBe(0);
  });

  it.each([
    ['status', 'open,closed'],
    ['status', 'open,'],
    ['assignee', 'me,everybody'],
    ['channel_id', 'a,b'],
    ['tag', `vip,${'x'.repeat(51)}`],
    ['tag', ','],
    ['priority', 'high;low'],
    ['csat', '6'],
    ['csat', '1,2'],
    ['unread', 'yes'],
    ['waiting_longer_than', '-1'],
    ['waiting_longer_than', 'long'],
    ['order', 'up'],
  ])('Listing conversations with %s=%s is refused (400).', async (name, value) => {
    const answer = await owner.get(`${PATH}?${new URLSearchParams({ [name]: value }).toString()}`);
    expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
    expect(answer.error.details?.map(fault => fault.field)).toEqual([name]);
  });

  it('A cursor by priority with an unknown priority is refused (400 cursor_invalid).', async () => {
    const parts = ['conversations.priority', 'huge', '2026-01-01T00:00:00.000Z', desk.channelId];
    const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
    const answer = await owner.get(`${PATH}?sort=priority&cursor=${cursor}`);
    expect([answer.status, answer.error.code]).toEqual([400, 'cursor_invalid']);
  });
});
