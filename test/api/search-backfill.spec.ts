import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SearchBackfillWorker } from '../../src/modules/search/search-backfill.worker.js';
import { SearchDocumentsRepository } from '../../src/modules/search/search-documents.repository.js';
import { eventually } from '../support/eventually.js';
import { indexed, search, titleOf } from '../support/found.js';
import { race, RACE_SEEDS } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

let world: World;
let desk: Desk;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
});

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);
/** The statements by which an operator rebuilds the index. They leave it as it is for rows older than search. */
const REBUILD = /```sql\n(?<statements>[^`]*search_backfill[^`]*)```/.exec(
  readFileSync('docs/OPERATIONS.md', 'utf8'),
)?.groups;
const forgetIndex = async () => {
  await indexed(world);
  await sql(REBUILD?.statements ?? '');
};
const filled = () =>
  eventually(async () => {
    world.app.app.get(SearchBackfillWorker).wake();
    const rows = await sql('SELECT FROM search_backfill WHERE workspace_id = $1', [desk.workspaceId]);
    return rows.length === 0 || undefined;
  }, 75_000);
const found = async (query: string) => (await search(desk.owner.api, query)).map(titleOf);
/** Sends many messages by one statement. */
const fill = (conversationId: string, count: number) =>
  sql(
    `INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, content, created_at)
     SELECT $1, ('01900000-' || lpad(to_hex(number), 4, '0') || '-7000-8000-000000000000')::uuid, $2, number + 10, 'agent', $2,
            'old message ' || number, timestamptz '2025-01-01' + make_interval(secs => number)
     FROM generate_series(1, $3::int) AS number`,
    [desk.workspaceId, conversationId, count],
  );

describe('The backfill of the index', () => {
  it('Messages, conversations and contacts of before are found, and unsent and erased ones are not.', async () => {
    const visitor = await world.visitor(desk, { name: 'Otto Older' });
    const id = (await world.conversation(visitor, 'older question')).id as string;
    const path = `/v1/conversations/${id}`;
    await desk.owner.api.patch(path, { subject: 'older subject' });
    const unsent = await desk.owner.api.post(`${path}/messages`, { content: 'older mistake' });
    await desk.owner.api.delete(`${path}/messages/${unsent.data.id}`);
    const gone = await world.visitor(desk, { name: 'Older Erased' });
    await world.conversation(gone, 'older erased');
    await desk.owner.api.delete(`/v1/contacts/${gone.contactId}`);
    await forgetIndex();
    expect(await found('older')).toEqual([]);
    await filled();
    expect((await found('older')).sort()).toEqual(['Otto Older', 'older question', 'older subject']);
    const documents = await sql<{ terms: string }>(
      `SELECT terms::text AS terms FROM search_document WHERE workspace_id = $1`,
      [desk.workspaceId],
    );
    expect(documents.some(({ terms }) => /mistake|erased/.test(terms))).toBe(false);
  });

  it('A backfill of several slices begins with the newest, and continues after a failure without repeating or missing any.', async () => {
    const id = (await world.conversation(await world.visitor(desk), 'Hello?')).id as string;
    await fill(id, 1_700);
    await indexed(world);
    const documents = world.app.app.get(SearchDocumentsRepository);
    const slices: string[][] = [];
    const write = documents.write.bind(documents);
    // the other workspaces of this database are written again, too
    jest.spyOn(documents, 'write').mockImplementation(async rows => {
      const [first] = rows;
      if (first?.workspaceId === desk.workspaceId && first.type === 'message') {
        slices.push(rows.map(row => row.id));
        if (slices.length === 1) throw new Error('a failed slice');
      }
      await write(rows);
    });
    await forgetIndex();
    await filled();
    expect(slices.map(slice => slice.length)).toEqual([500, 500, 500, 500, 201]);
    const [failed, ...written] = slices;
    expect(written[0]).toEqual(failed);
    expect(written.flat()).toEqual(written.flat().sort().reverse());
    const rows = await sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM search_document WHERE workspace_id = $1 AND type = 'message'`,
      [desk.workspaceId],
    );
    expect(rows).toEqual([{ count: 1_701 }]);
    expect(await found('"old message 1"')).toEqual(['old message 1']);
    expect(await found('"old message 1699"')).toEqual(['old message 1699']);
  });

  it('What changes during a backfill is found as it is in the end.', async () => {
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      const random = seeded(seed);
      const id = (await world.conversation(await world.visitor(desk), 'Hello?')).id as string;
      const path = `/v1/conversations/${id}/messages`;
      const ids: string[] = [];
      for (let index = 0; index < 6; index += 1) {
        ids.push((await desk.owner.api.post(path, { content: `medlar${seed} ${index}` })).data.id as string);
      }
      await forgetIndex();
      await race(7, async index => {
        await waitUpTo(random, 40);
        if (index === 6) return filled();
        if (index % 3 === 0)
          await desk.owner.api.patch(`${path}/${ids[index]}`, { content: `medlar${seed} new ${index}` });
        else if (index % 3 === 1) await desk.owner.api.delete(`${path}/${ids[index]}`);
        return undefined;
      });
      await indexed(world);
      const expected = [`new 0`, '2', 'new 3', '5'].map(rest => `medlar${seed} ${rest}`);
      expect([seed, (await found(`medlar${seed}`)).sort()]).toEqual([seed, expected.sort()]);
      const stored = await sql('SELECT FROM search_document WHERE terms::text LIKE $1', [`%medlar${seed}'%`]);
      expect([seed, stored.length]).toEqual([seed, 4]);
    }
  }, 120_000);
});
