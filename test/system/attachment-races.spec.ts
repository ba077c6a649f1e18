import { describe, expect, it } from '@jest/globals';
import { desk, owner, world } from '../support/desk-for-each.js';
import { download, filesOf, removeDueFiles, upload } from '../support/files.js';
import { countsOf, race, RACE_SEEDS } from '../support/race.js';

const seeds = Array.from({ length: RACE_SEEDS }, (_nothing, seed) => seed);

describe('Races for a file', () => {
  it('One file in two messages at once is in exactly one of them.', async () => {
    const visitors = await race(2, () => world.visitor(desk));
    const ids = await race(2, async index => (await world.conversation(visitors[index] as never)).id as string);
    for (const seed of seeds) {
      const files = await race(2, async () => (await upload(owner)).data.id as string);
      const answers = await race(4, index =>
        owner.post(`/v1/conversations/${ids[(index + seed) % 2] as string}/messages`, {
          attachment_ids: index % 2 === 0 ? files : [...files].reverse(),
        }),
      );
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 400: 3 });
    }
  });

  it('A download beside an unsend is whole or 404, and after it 404.', async () => {
    const { id } = await world.conversation(await world.visitor(desk));
    const path = `/v1/conversations/${id as string}/messages`;
    const bytes = Buffer.alloc(300_000, 'a');
    const unsentIds: string[] = [];
    for (const seed of seeds) {
      const file = (await upload(owner, bytes)).data;
      const message = (await owner.post(path, { attachment_ids: [file.id] })).data;
      const url = message.attachments[0].url as string;
      const [unsent, ...read] = await Promise.all([
        owner.delete(`${path}/${message.id as string}`),
        ...Array.from({ length: 1 + (seed % 3) }, async () => download(world, url)),
      ]);
      expect(unsent.status).toBe(200);
      unsentIds.push(file.id as string);
      for (const { status, body } of read as { status: number; body: Buffer }[]) {
        expect(status === 404 || body.equals(bytes)).toBe(true);
      }
      expect((await download(world, url)).status).toBe(404);
    }
    await removeDueFiles(world);
    expect(filesOf(world).stored.filter(name => unsentIds.some(one => name.includes(one)))).toEqual([]);
  });
});
