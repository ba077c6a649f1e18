import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SearchPostponedRepository } from '../../src/modules/search/search-postponed.repository.js';
import { SearchPostponedWorker } from '../../src/modules/search/search-postponed.worker.js';
import { SearchSegmentsRepository } from '../../src/modules/search/search-segments.repository.js';
import { SearchDocumentsRepository } from '../../src/modules/search/search-documents.repository.js';
import { SearchSourcesRepository } from '../../src/modules/search/search-sources.repository.js';
import { desk, world } from '../support/desk-for-each.js';
import { erased, indexed, indexedAtOnce, search, titleOf } from '../support/found.js';
import { race, RACE_SEEDS } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import { settled } from '../support/settled.js';
import type { Desk } from '../support/world.js';

/** A message of 60,000 bytes, of which ten are within a workspace's share of a unit of work. Bullets are no terms. */
const long = (word: string) => `${'•'.repeat(19_980)} ${word}`;
const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);
/** Stops the consumer and the worker, so that their next unit of work reads everything until then. */
const stopAll = () =>
  jest.spyOn(world.app.app.get(SearchSegmentsRepository), 'lock').mockRejectedValue(new Error('stopped'));
const stopWorker = () =>
  jest.spyOn(world.app.app.get(SearchPostponedRepository), 'findWorkspaces').mockResolvedValue([]);
const postponed = async ({ workspaceId }: Desk) =>
  (await sql('SELECT FROM search_postponed WHERE workspace_id = $1', [workspaceId])).length;
/** Lets the consumer run again. It reads everything in one unit of work. */
async function indexUnit(stop: { mockRestore: () => void }): Promise<void> {
  await settled(world);
  stop.mockRestore();
  await indexedAtOnce(world);
}
const count = async ({ owner }: Desk, query: string) => (await search(owner.api, query)).length;

/** Begins a conversation of a desk. @returns the path of its messages */
async function talk({ widgetToken }: Pick<Desk, 'widgetToken'>): Promise<string> {
  const { id } = await world.conversation(await world.visitor({ widgetToken }), 'Hello?');
  return `/v1/conversations/${id as string}/messages`;
}

async function send({ owner }: Desk, path: string, contents: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const content of contents) {
    const sent = await owner.api.post(path, { content });
    expect(sent.status).toBe(201);
    ids.push(sent.data.id as string);
  }
  return ids;
}

afterEach(async () => {
  jest.restoreAllMocks();
  await indexed(world);
});

describe('Long messages', () => {
  it('A workspace that sends more of them than its share waits for a worker; its short messages and other workspaces do not.', async () => {
    const other = await world.desk();
    const [path, others] = [await talk(desk), await talk(other)];
    await indexed(world);
    const stop = stopAll();
    const worker = stopWorker();
    await send(desk, path, [...Array<string>(27).fill(long('larch')), 'a short larch']);
    await send(other, others, [long('larch'), 'a short larch']);
    await indexUnit(stop);
    expect(await count(other, 'larch')).toBe(2);
    expect(await count(desk, 'larch')).toBe(10 + 1);
    expect([await postponed(desk), await postponed(other)]).toEqual([17, 0]);

    worker.mockRestore();
    const write = jest.spyOn(world.app.app.get(SearchDocumentsRepository), 'write');
    await indexed(world);
    expect(write.mock.calls.map(([documents]) => documents.length)).toEqual([10, 7]);
    expect(await count(desk, 'larch')).toBe(28);
    expect(await postponed(desk)).toBe(0);
  });

  it('Many workspaces that send them at once also have a share together.', async () => {
    const desks = [desk, await world.desk(), await world.desk(), await world.desk()];
    const paths: string[] = [];
    for (const each of desks) paths.push(await talk(each));
    await indexed(world);
    const stop = stopAll();
    stopWorker();
    for (const [index, each] of desks.entries()) {
      await send(each, paths[index] ?? '', [...Array<string>(6).fill(long('cedar')), 'a short cedar']);
    }
    await indexUnit(stop);
    const found = await Promise.all(desks.map(each => count(each, 'cedar')));
    // nineteen, each counted as 20,000 bytes, and the short ones are within 400,000
    expect(found).toEqual([7, 7, 7, 2]);
  });

  it('Workspaces take turns: one with few postponed messages does not wait for another with many.', async () => {
    const other = await world.desk();
    const [path, others] = [await talk(desk), await talk(other)];
    await indexed(world);
    const stop = stopAll();
    const worker = stopWorker();
    await send(desk, path, Array<string>(38).fill(long('yew')));
    await send(other, others, Array<string>(12).fill(long('yew')));
    await indexUnit(stop);
    expect([await postponed(desk), await postponed(other)]).toEqual([28, 2]);
    worker.mockRestore();
    const take = jest.spyOn(world.app.app.get(SearchSourcesRepository), 'takePostponed');
    await indexed(world);
    const turns = take.mock.calls.map(([workspaceId]) => (workspaceId === desk.workspaceId ? 'many' : 'few'));
    expect(turns.slice(0, 2).sort()).toEqual(['few', 'many']);
    expect(turns.filter(turn => turn === 'many')).toHaveLength(3);
    expect([await count(desk, 'yew'), await count(other, 'yew')]).toEqual([38, 12]);
  });

  it('Edits count like messages.', async () => {
    const path = await talk(desk);
    const ids = await send(
      desk,
      path,
      Array.from({ length: 13 }, (_nothing, index) => `rowan ${index}`),
    );
    await indexed(world);
    const stop = stopAll();
    stopWorker();
    for (const id of ids) {
      expect((await desk.owner.api.patch(`${path}/${id}`, { content: long('whitebeam') })).status).toBe(200);
    }
    await indexUnit(stop);
    expect(await count(desk, 'whitebeam')).toBe(10);
    expect(await postponed(desk)).toBe(3);
    // a hit is shown only while its row has the words
    expect(await count(desk, 'rowan')).toBe(0);
  });

  it('A message that was unsent meanwhile leaves the index at once, however long it was.', async () => {
    const path = await talk(desk);
    const texts = Array.from({ length: 13 }, (_nothing, index) => `hazel ${index}`);
    const ids = await send(desk, path, texts);
    await indexed(world);
    const stop = stopAll();
    stopWorker();
    for (const id of ids) {
      await desk.owner.api.patch(`${path}/${id}`, { content: long('filbert') });
      expect((await desk.owner.api.delete(`${path}/${id}`)).status).toBe(200);
    }
    await indexUnit(stop);
    expect(await postponed(desk)).toBe(0);
    expect(await sql('SELECT FROM search_document WHERE id = ANY($1)', [ids])).toEqual([]);
  });

  it('A slice that fails is written later, once.', async () => {
    const path = await talk(desk);
    await indexed(world);
    const stop = stopAll();
    await send(desk, path, Array<string>(15).fill(long('holm')));
    const worker = stopWorker();
    await indexUnit(stop);
    worker.mockRestore();
    const write = jest
      .spyOn(world.app.app.get(SearchDocumentsRepository), 'write')
      .mockRejectedValueOnce(new Error('an instance that died here'));
    await indexed(world);
    expect(write.mock.calls.map(([documents]) => documents.length)).toEqual([5, 5]);
    expect(await count(desk, 'holm')).toBe(15);
  });

  it('Those that are edited, unsent or erased while they are postponed are in the index as they are in the end.', async () => {
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      const random = seeded(seed);
      const word = `quince${seed}`;
      const visitor = await world.visitor(desk);
      const path = await talk(desk);
      const gone = (await world.conversation(visitor, `${word} gone`)).id as string;
      const ids = await send(
        desk,
        path,
        Array.from({ length: 9 }, (_nothing, index) => `${word} ${index}`),
      );
      await indexed(world);
      await sql(
        `WITH forgotten AS (DELETE FROM search_document WHERE workspace_id = $1 AND type = 'message')
         INSERT INTO search_postponed (workspace_id, id, type, channel_id, postponed_at)
         SELECT message.workspace_id, message.id, 'message', channel_id, now() FROM message
         JOIN conversation ON conversation.workspace_id = message.workspace_id AND conversation.id = conversation_id
         WHERE message.workspace_id = $1 AND (conversation_id = $2 OR message.id = ANY($3))`,
        [desk.workspaceId, gone, ids],
      );
      await race(12, async index => {
        await waitUpTo(random, 40);
        const own = `${path}/${ids[index] ?? ''}`;
        if (index === 9) await world.app.app.get(SearchPostponedWorker).runUntilDone();
        else if (index === 10) await indexedAtOnce(world);
        else if (index === 11) await desk.owner.api.delete(`/v1/contacts/${visitor.contactId}`);
        else if (index % 3 === 0) await desk.owner.api.patch(own, { content: `${word} new ${index}` });
        else if (index % 3 === 1) await desk.owner.api.delete(own);
      });
      await erased(world);
      await indexed(world);
      const expected = ['new 0', '2', 'new 3', '5', 'new 6', '8'].map(rest => `${word} ${rest}`);
      expect([seed, (await search(desk.owner.api, word)).map(titleOf).sort()]).toEqual([seed, expected.sort()]);
      const stored = await sql('SELECT FROM search_document WHERE terms::text LIKE $1', [`%${word}'%`]);
      expect([seed, stored.length]).toEqual([seed, 6]);
    }
  }, 120_000);
});
