import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { SearchCandidatesRepository } from '../../src/modules/search/search-candidates.repository.js';
import { SearchDocumentsRepository } from '../../src/modules/search/search-documents.repository.js';
import { SearchSegmentsRepository } from '../../src/modules/search/search-segments.repository.js';
import { SearchSourcesRepository } from '../../src/modules/search/search-sources.repository.js';
import { ReadingPositionRepository } from '../../src/platform/events/reading-position.repository.js';
import { lockTable } from '../support/blocking-transaction.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import { indexed, search, titleOf } from '../support/found.js';

const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);
const found = async (query: string) => (await search(owner, query)).map(titleOf);

/** Every step of the consumer's transaction. */
const STEPS = [
  [SearchSegmentsRepository, 'lock'],
  [SearchSourcesRepository, 'findChanged'],
  [SearchDocumentsRepository, 'remove'],
  [SearchSegmentsRepository, 'findOpen'],
  [SearchSegmentsRepository, 'create'],
  [SearchSegmentsRepository, 'grow'],
  [SearchDocumentsRepository, 'write'],
  [ReadingPositionRepository, 'savePosition'],
] as const;

/** Lets the transaction of the index fail once, after this step has done its work. */
function failOnceAfter([repository, method]: (typeof STEPS)[number]) {
  type Method = (...values: unknown[]) => Promise<unknown>;
  const target = world.app.app.get(repository as never) as Record<string, Method>;
  const original = target[method]?.bind(target);
  let failures = 0;
  const spy = jest.spyOn(target, method).mockImplementation(async (...values: unknown[]) => {
    const result = await original?.(...values);
    // other consumers save their positions too
    if (failures > 0 || (method === 'savePosition' && values[0] !== 'search')) return result;
    failures += 1;
    throw new Error('an instance that died here');
  });
  return { failures: () => failures, restore: () => spy.mockRestore() };
}

/** Keeps the index as it is until the result is restored. */
const stopIndexing = () =>
  jest.spyOn(world.app.app.get(SearchSegmentsRepository), 'lock').mockRejectedValue(new Error('stopped'));

describe('The consumer of search', () => {
  it('A transaction that ends at any step is repeated: the index has each message once, as it is.', async () => {
    const { id } = await world.conversation(await world.visitor(desk), 'Hello?');
    const path = `/v1/conversations/${id as string}/messages`;
    const expected: string[] = [];
    for (const [index, step] of STEPS.entries()) {
      const unsent = await owner.post(path, { content: `elder unsent ${index}` });
      const edited = await owner.post(path, { content: `elder draft ${index}` });
      await indexed(world);
      // an open segment grows, after a closed one another is created
      if (step[1] === 'create') {
        await sql('UPDATE search_segment SET open = false WHERE workspace_id = $1', [desk.workspaceId]);
      }
      const fault = failOnceAfter(step);
      await owner.post(path, { content: `elder new ${index}` });
      await owner.patch(`${path}/${edited.data.id}`, { content: `elder edited ${index}` });
      await owner.delete(`${path}/${unsent.data.id}`);
      // the failure is the test's own call, or one of the service's
      await indexed(world).catch(() => indexed(world));
      fault.restore();
      expect([step[1], fault.failures()]).toEqual([step[1], 1]);
      expected.push(`elder edited ${index}`, `elder new ${index}`);
    }
    expect((await found('elder')).sort()).toEqual(expected.sort());
    const documents = await sql<{ stored: number }>(
      `SELECT count(*)::int AS stored FROM search_document WHERE workspace_id = $1 AND terms::text LIKE '%elder%'`,
      [desk.workspaceId],
    );
    expect(documents).toEqual([{ stored: expected.length }]);
    const lost = await sql(
      `SELECT search_document.id FROM search_document LEFT JOIN search_segment
         ON search_segment.id = segment_id AND search_document.created_at BETWEEN first_at AND last_at
       WHERE search_document.workspace_id = $1 AND search_segment.id IS NULL`,
      [desk.workspaceId],
    );
    expect(lost).toEqual([]);
  });

  it('A plain message writes nothing to the index in its own transaction.', async () => {
    const { id } = await world.conversation(await world.visitor(desk), 'Hello?');
    await indexed(world);
    const stop = stopIndexing();
    await owner.post(`/v1/conversations/${id as string}/messages`, { content: 'rowan' });
    const rows = () => sql(`SELECT FROM search_document WHERE terms::text LIKE '%rowan%'`);
    expect(await rows()).toEqual([]);
    stop.mockRestore();
    await indexed(world);
    expect(await rows()).toHaveLength(1);
  });

  it('Messages of one unit of work that fill a segment continue in the next one, and each workspace has one open segment.', async () => {
    const other = await world.desk();
    const paths: string[] = [];
    for (const { widgetToken } of [desk, other]) {
      const { id } = await world.conversation(await world.visitor({ widgetToken }), 'Hello?');
      paths.push(`/v1/conversations/${id as string}/messages`);
    }
    await indexed(world);
    await sql(`UPDATE search_segment SET documents = 8190 WHERE workspace_id = $1`, [desk.workspaceId]);
    const stop = stopIndexing();
    for (let index = 0; index < 5; index += 1) {
      await owner.post(paths[0] ?? '', { content: `alder ${index}` });
      await other.owner.api.post(paths[1] ?? '', { content: `alder ${index}` });
    }
    stop.mockRestore();
    await indexed(world);
    const segments = await sql(
      `SELECT workspace_id = $1 AS ours, documents, open FROM search_segment
       WHERE workspace_id = ANY($2) ORDER BY ours DESC, id`,
      [desk.workspaceId, [desk.workspaceId, other.workspaceId]],
    );
    expect(segments).toEqual([
      { ours: true, documents: 8_192, open: false },
      { ours: true, documents: 3, open: true },
      { ours: false, documents: 7, open: true },
    ]);
    expect((await found('alder')).sort()).toEqual([0, 1, 2, 3, 4].map(index => `alder ${index}`));
    expect(await search(other.owner.api, 'alder')).toHaveLength(5);
  });

  it('A unit of work of the consumer leaves no message in the pending list of the index, which every search would read.', async () => {
    const { id } = await world.conversation(await world.visitor(desk), 'Hello?');
    for (let index = 0; index < 20; index += 1) {
      await owner.post(`/v1/conversations/${id as string}/messages`, { content: `a pending word${index}` });
    }
    await indexed(world);
    const pages = await sql<{ moved: string }>(`SELECT gin_clean_pending_list('ix_search_document_terms') AS moved`);
    expect(pages).toEqual([{ moved: '0' }]);
    expect(await found('pending')).toHaveLength(20);
  });
});

describe('A slow search', () => {
  it('A search that takes more than two seconds is unavailable (503).', async () => {
    await world.conversation(await world.visitor(desk), 'hawthorn');
    await indexed(world);
    const locked = await lockTable(world.app.database, 'search_document');
    await locked.query('LOCK TABLE search_document IN ACCESS EXCLUSIVE MODE', []);
    const begun = performance.now();
    const { status, error } = await owner.get('/v1/search?query=hawthorn');
    expect([status, error.code]).toEqual([503, 'unavailable']);
    expect(performance.now() - begun).toBeGreaterThan(1_900);
    await locked.commit();
    expect(await found('hawthorn')).toEqual(['hawthorn']);
  });

  it('Two searches of a workspace run at a time, others wait, and searches of another workspace do not wait for them.', async () => {
    const index = world.app.app.get(SearchCandidatesRepository);
    const find = index.find.bind(index);
    const running = new Set<() => void>();
    const paused = jest.spyOn(index, 'find').mockImplementation(async (query, timeout) => {
      if (query.workspaceId === desk.workspaceId) await new Promise<void>(resume => running.add(resume));
      return find(query, timeout);
    });
    const other = await world.desk();
    for (const { widgetToken } of [desk, other]) {
      await world.conversation(await world.visitor({ widgetToken }), 'hornbeam');
    }
    await indexed(world);
    const searches = Array.from({ length: 5 }, () => owner.get('/v1/search?query=hornbeam'));
    await eventually(() => running.size === 2 || undefined);
    expect((await search(other.owner.api, 'hornbeam')).map(titleOf)).toEqual(['hornbeam']);
    expect(running.size).toBe(2);
    for (let ended = 0; ended < searches.length; ended += 1) {
      const resume = await eventually(() => running.values().next().value);
      running.delete(resume);
      resume();
    }
    expect((await Promise.all(searches)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    paused.mockRestore();
  });

  it('A page ends early when the search has read for a second, and its cursor continues behind the last hit.', async () => {
    const { id } = await world.conversation(await world.visitor(desk), 'whitebeam 0');
    for (let index = 1; index < 6; index += 1) {
      await owner.post(`/v1/conversations/${id as string}/messages`, { content: `whitebeam ${index}` });
      await indexed(world);
      await sql(`UPDATE search_segment SET open = false, documents = 9000 WHERE workspace_id = $1`, [desk.workspaceId]);
    }
    const index = world.app.app.get(SearchCandidatesRepository);
    const find = index.find.bind(index);
    const slow = jest.spyOn(index, 'find').mockImplementation(async (...values) => {
      await delay(1_100);
      return find(...values);
    });
    const { data } = await owner.get('/v1/search?query=whitebeam');
    slow.mockRestore();
    expect(data.items).toHaveLength(1);
    expect(data.next_cursor).not.toBeNull();
    const rest = await search(owner, 'whitebeam', { cursor: data.next_cursor as string });
    expect([...data.items, ...rest].map(titleOf)).toEqual([5, 4, 3, 2, 1, 0].map(number => `whitebeam ${number}`));
  });
});
