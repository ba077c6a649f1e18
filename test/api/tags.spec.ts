import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { race, RACE_SEEDS } from '../support/race.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import { unique } from '../support/world.js';

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);

const conversation = async (): Promise<string> => (await world.conversation(await world.visitor(desk))).id as string;
const path = (id: string) => `/v1/conversations/${id}`;
const tag = (id: string, ...tags: string[]) => owner.patch(path(id), { tags });
const tagsOf = async (id: string): Promise<string[]> => (await owner.get(path(id))).data.tags as string[];
const counts = async (query = ''): Promise<Record<string, number>> => {
  const { items } = (await owner.get(`/v1/tags?limit=200${query}`)).data as {
    items: { name: string; count: number }[];
  };
  return Object.fromEntries(items.map(({ name, count }) => [name, count]));
};
const rename = (from: string, to: string) => owner.post('/v1/tags/rename', { from, to });
const idsBy = async (query: string): Promise<string[]> =>
  (await owner.get(`/v1/conversations?${query}`)).data.items.map(({ id }: Json) => id as string);
/** Waits until no conversation refers to a merged or deleted tag. */
const waitForRemovals = () =>
  eventually(
    async () =>
      (await sql('SELECT FROM tag WHERE workspace_id = $1 AND removed_at IS NOT NULL', [desk.workspaceId])).length ===
        0 || undefined,
  );
const findMiscounts = () =>
  sql(
    `SELECT * FROM (
       SELECT tag_id, channel_id, count(*)::int AS truth FROM conversation CROSS JOIN unnest(tag_ids) AS tag_id
       WHERE workspace_id = $1 AND status <> 'resolved' GROUP BY 1, 2) AS actual
     FULL JOIN (SELECT tag_id, channel_id, count FROM tag_tally WHERE workspace_id = $1) AS tally USING (tag_id, channel_id)
     WHERE coalesce(truth, 0) <> coalesce(count, 0)`,
    [desk.workspaceId],
  );

describe('Tags of conversations', () => {
  it('Tags are trimmed and equal without regard to case, and the first spelling of the workspace stays.', async () => {
    const [one, two] = [await conversation(), await conversation()];
    expect((await tag(one, ' VIP ', 'Später', 'vip')).data.tags).toEqual(['VIP', 'Später']);
    expect((await tag(two, 'SPÄTER', 'vip')).data.tags).toEqual(['Später', 'VIP']);
    expect(await counts()).toEqual({ Später: 2, VIP: 2 });
    expect(await idsBy('tag=vIp')).toEqual([two, one]);
    expect((await tag(one, '   ')).error.code).toBe('validation_failed');
  });

  it('The list of tags counts unresolved conversations that the caller can see, and is searched by part of a name.', async () => {
    const shop = await world.channel(desk);
    const limited = await world.colleague(desk, { channel_ids: [shop.id as string] });
    const ids = [await conversation(), await conversation(), await conversation()];
    const inShop = (await world.conversation(await world.visitor({ widgetToken: shop.widget_token as string }))).id;
    for (const id of [...ids, inShop as string]) await tag(id, 'late', 'refund');
    await owner.post(`${path(ids[0] ?? '')}/resolve`, {});
    await tag(ids[1] ?? '', 'refund');
    expect(await counts()).toEqual({ late: 2, refund: 3 });
    expect(await counts('&query=LAT')).toEqual({ late: 2 });
    expect(await counts('&query=%25')).toEqual({});
    const seen = (await limited.api.get('/v1/tags')).data.items as unknown;
    expect(seen).toEqual([
      { name: 'late', count: 1 },
      { name: 'refund', count: 1 },
    ]);
    await owner.post(`${path(ids[0] ?? '')}/reopen`, {});
    expect(await counts()).toEqual({ late: 3, refund: 4 });
  });

  it('Tags are paged by name.', async () => {
    await tag(await conversation(), 'c', 'A', 'b');
    const first = (await owner.get('/v1/tags?limit=2')).data;
    const second = (await owner.get(`/v1/tags?limit=2&cursor=${first.next_cursor as string}`)).data;
    expect([...first.items, ...second.items].map(({ name }: Json) => name)).toEqual(['A', 'b', 'c']);
    expect((await owner.get('/v1/tags?cursor=x')).error.code).toBe('cursor_invalid');
  });

  it('A workspace has at most 500 tags (409 limit_reached), also when requests race.', async () => {
    const ids = await race(4, conversation);
    await sql(
      `INSERT INTO tag (workspace_id, id, name, key) SELECT $1, gen_random_uuid(), 'tag ' || n, 'tag ' || n FROM generate_series(1, 498) AS n`,
      [desk.workspaceId],
    );
    const answers = await race(4, index => tag(ids[index] ?? '', `new ${index}`));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 409, 409]);
    expect(answers.filter(({ status }) => status === 409).map(({ error }) => error.code)).toEqual([
      'limit_reached',
      'limit_reached',
    ]);
    expect((await tag(ids[0] ?? '', 'tag 1', 'TAG 2')).status).toBe(200);
  });

  it('A conversation keeps no tag of a refused change.', async () => {
    const id = await conversation();
    expect((await owner.patch(path(id), { tags: ['x'], expected_version: 99 })).status).toBe(409);
    expect(await counts()).toEqual({});
  });
});

describe('Renaming and deleting tags', () => {
  it('A renamed tag has its new name on all conversations at once, with one event and no new version.', async () => {
    const ids = [await conversation(), await conversation()];
    for (const id of ids) await tag(id, 'vip', 'late');
    const before = (await owner.get(path(ids[0] ?? ''))).data;
    const socket = await world.agentSocket(desk.owner);
    expect((await rename('VIP', ' Gold ')).data).toEqual({ name: 'Gold' });
    expect((await socket.next('tag.updated')).data).toEqual({ from: 'vip', to: 'Gold' });
    expect((await owner.get(path(ids[0] ?? ''))).data).toEqual({ ...before, tags: ['Gold', 'late'] });
    const listed = (await owner.get('/v1/conversations?tag=gold')).data.items.map(({ tags }: Json) => tags);
    expect(listed).toEqual([
      ['Gold', 'late'],
      ['Gold', 'late'],
    ]);
    expect(await idsBy('tag=vip')).toEqual([]);
    const recorded = await sql(`SELECT type FROM event WHERE workspace_id = $1 AND type = 'tag.updated'`, [
      desk.workspaceId,
    ]);
    expect(recorded).toHaveLength(1);
    await socket.close();
  });

  it('A tag can get another spelling, and the same name again changes nothing.', async () => {
    const id = await conversation();
    await tag(id, 'vip');
    expect((await rename('vip', 'VIP')).data).toEqual({ name: 'VIP' });
    expect(await tagsOf(id)).toEqual(['VIP']);
    await rename('vip', 'VIP');
    expect(
      await sql(`SELECT FROM event WHERE workspace_id = $1 AND type = 'tag.updated'`, [desk.workspaceId]),
    ).toHaveLength(1);
  });

  it('A tag that is renamed to another one becomes that one, and the counts follow within seconds.', async () => {
    const [both, one, other] = [await conversation(), await conversation(), await conversation()];
    await tag(both, 'late', 'delayed', 'vip');
    await tag(one, 'delayed');
    await tag(other, 'late');
    const versions = await race(
      3,
      async index => (await owner.get(path([both, one, other][index] ?? ''))).data.version,
    );
    expect((await rename('delayed', 'LATE')).data).toEqual({ name: 'late' });
    expect([await tagsOf(both), await tagsOf(one), await tagsOf(other)]).toEqual([['late', 'vip'], ['late'], ['late']]);
    expect((await idsBy('tag=late')).sort()).toEqual([both, one, other].sort());
    await waitForRemovals();
    expect([await tagsOf(both), await tagsOf(one), await tagsOf(other)]).toEqual([['late', 'vip'], ['late'], ['late']]);
    expect(await counts()).toEqual({ late: 3, vip: 1 });
    expect(await findMiscounts()).toEqual([]);
    expect((await idsBy('tag=late')).sort()).toEqual([both, one, other].sort());
    const after = await race(3, async index => (await owner.get(path([both, one, other][index] ?? ''))).data.version);
    expect(after).toEqual(versions);
    const { data } = await tag(one, 'delayed');
    expect([data.tags, await tagsOf(other)]).toEqual([['delayed'], ['late']]);
  });

  it('Merged tags can be merged and deleted again before their conversations were rewritten.', async () => {
    const id = await conversation();
    await tag(id, 'a', 'b', 'c', 'd');
    await rename('a', 'b');
    await rename('b', 'c');
    expect(await tagsOf(id)).toEqual(['c', 'd']);
    expect(await idsBy('tag=c')).toEqual([id]);
    await owner.delete('/v1/tags/c');
    expect(await tagsOf(id)).toEqual(['d']);
    await waitForRemovals();
    expect(await tagsOf(id)).toEqual(['d']);
    expect(await counts()).toEqual({ d: 1 });
    expect(await findMiscounts()).toEqual([]);
  });

  it('A deleted tag is on no conversation any more, and a new tag of that name does not bring it back.', async () => {
    const [id, other] = [await conversation(), await conversation()];
    await tag(id, 'a/b', 'late');
    const socket = await world.agentSocket(desk.owner);
    expect((await owner.delete(`/v1/tags/${encodeURIComponent('A/B')}`)).data).toMatchObject({ deleted: true });
    expect((await socket.next('tag.updated')).data).toEqual({ from: 'a/b', to: null });
    expect(await tagsOf(id)).toEqual(['late']);
    await tag(other, 'a/b');
    expect(await tagsOf(id)).toEqual(['late']);
    await waitForRemovals();
    expect(await idsBy(`tag=${encodeURIComponent('a/b')}`)).toEqual([other]);
    expect((await owner.delete('/v1/tags/unknown')).status).toBe(404);
    await socket.close();
  });

  it('A rename of an unknown tag, or to a bad name, is refused (400).', async () => {
    expect((await rename('nobody', 'x')).error.details).toMatchObject([{ field: 'from', code: 'unknown' }]);
    await tag(await conversation(), 'vip');
    expect((await rename('vip', '  ')).status).toBe(400);
    expect((await rename('vip', 'x'.repeat(51))).status).toBe(400);
  });

  it('An agent, and an admin of some channels, can neither rename nor delete a tag (403).', async () => {
    await tag(await conversation(), 'vip');
    const agent = await world.colleague(desk);
    const scoped = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    for (const [by, code] of [
      [agent.api, 'forbidden'],
      [scoped.api, 'scope_too_narrow'],
    ] as const) {
      expect((await by.post('/v1/tags/rename', { from: 'vip', to: 'x' })).error.code).toBe(code);
      expect((await by.delete('/v1/tags/vip')).error.code).toBe(code);
    }
  });

  it('A rename, a merge and a deletion are in the audit log.', async () => {
    await tag(await conversation(), 'a', 'b', 'c');
    await rename('a', 'x');
    await rename('b', 'c');
    await owner.delete('/v1/tags/c');
    const entries = await eventually(async () => {
      const { items } = (await owner.get('/v1/audit-log?action=tag.*')).data as { items: Json[] };
      return items.length === 3 ? items : undefined;
    });
    expect(entries.map(({ details }) => [(details as Json).from, (details as Json).to])).toEqual([
      ['c', null],
      ['b', 'c'],
      ['a', 'x'],
    ]);
  });

  it('Thousands of conversations lose a merged tag in slices, and its rename answers before.', async () => {
    const visitor = await world.visitor(desk);
    const id = await conversation();
    await tag(id, 'old', 'new');
    const [old] = await sql<{ id: string }>(`SELECT id FROM tag WHERE workspace_id = $1 AND key = 'old'`, [
      desk.workspaceId,
    ]);
    await sql(
      `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at, tag_ids)
       SELECT $1, gen_random_uuid(), 100 + n, $2, $3, 'open', false, now(), ARRAY[$4::uuid] FROM generate_series(1, 1500) AS n`,
      [desk.workspaceId, desk.channelId, visitor.contactId, old?.id],
    );
    await sql(
      `INSERT INTO conversation_facet SELECT workspace_id, 'tag:' || $2, id, last_activity_at FROM conversation WHERE workspace_id = $1 AND number > 100`,
      [desk.workspaceId, old?.id],
    );
    await sql('UPDATE tag_tally SET count = 1501 WHERE workspace_id = $1 AND tag_id = $2', [desk.workspaceId, old?.id]);
    await rename('old', 'new');
    expect((await owner.get('/v1/conversations?limit=200&tag=new')).data.items).toHaveLength(200);
    await eventually(
      async () => (await sql('SELECT FROM tag WHERE workspace_id = $1', [desk.workspaceId])).length === 1 || undefined,
      20_000,
    );
    expect(await counts()).toEqual({ new: 1501 });
    expect(await findMiscounts()).toEqual([]);
  });
});

describe('Races of tags', () => {
  it.each(Array.from({ length: RACE_SEEDS }, (_nothing, seed) => [seed]))(
    'Conversations that get a new tag at once share one tag (seed %i).',
    async () => {
      const ids = await race(3, conversation);
      const name = unique('tag');
      const answers = await race(9, index =>
        tag(ids[index % 3] ?? '', ...(index % 2 ? [name, `${name} b`] : [`${name} B`, name.toUpperCase()])),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(Object.values(await counts())).toEqual([3, 3]);
      expect(await findMiscounts()).toEqual([]);
    },
  );

  it.each(Array.from({ length: RACE_SEEDS }, (_nothing, seed) => [seed]))(
    'A tag that is added while it is renamed, merged or deleted is shown by a living name or not at all (seed %i).',
    async seed => {
      const ids = await race(3, conversation);
      await tag(ids[0] ?? '', 'a', 'b');
      await race(12, index => {
        const id = ids[index % 3] ?? '';
        const turn = (index + seed) % 6;
        if (turn === 0) return rename('a', 'b');
        if (turn === 1) return owner.delete('/v1/tags/b');
        if (turn === 2) return rename('b', 'a');
        return tag(id, ...(turn === 3 ? ['a'] : turn === 4 ? ['a', 'b'] : ['b', 'c']));
      });
      await waitForRemovals();
      const living = new Set(Object.keys(await counts()));
      for (const id of ids) for (const name of await tagsOf(id)) expect(living).toContain(name);
      expect(await findMiscounts()).toEqual([]);
      const dangling = await sql(
        `SELECT id FROM conversation, unnest(tag_ids) AS tag_id WHERE conversation.workspace_id = $1
           AND NOT EXISTS (SELECT FROM tag WHERE tag.workspace_id = $1 AND tag.id = tag_id)`,
        [desk.workspaceId],
      );
      expect(dangling).toEqual([]);
    },
  );
});
