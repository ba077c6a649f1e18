import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { termsByField, toTsquery, toTsvector } from '../../src/modules/search/text/lexemes.js';
import { highlight } from '../../src/modules/search/text/matches.js';
import { parseQuery } from '../../src/modules/search/text/search-query.js';
import { desk, world } from '../support/desk-for-each.js';
import { indexed, search } from '../support/found.js';

const { PROPERTY_SEED } = process.env;
const settings = { numRuns: 150, ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }) };

const letter = (first: number, index: number) => String.fromCodePoint(first + index);
/** A text whose pairs of letters are all different, from so many letters. */
function differentPairs(first: number, letters: number, pairs: number): string[] {
  return Array.from(
    { length: pairs },
    (_, index) => letter(first, index % letters) + letter(first, Math.floor(index / letters)),
  );
}
/** Texts of which the index stores terms or letters. */
const STORED: Record<string, string> = {
  'words that are repeated': 'the parcel is late, '.repeat(550),
  'pairs of letters that are repeated': differentPairs(0x5000, 20, 400).join('').repeat(12),
  'many different pairs of letters': differentPairs(0x5000, 60, 3_000).join(''),
  'many different words of two letters': differentPairs(0xac00, 60, 3_000).join(' '),
};
/** Texts of which it stores that they exist. */
const UNLISTED: Record<string, string> = {
  'many different words': Array.from({ length: 3_000 }, (_, index) => `id${index}`).join(' '),
  'many different letters': Array.from({ length: 3_000 }, (_, index) => letter(0x5000, index)).join(''),
};

const unit = fc.constantFrom(
  'late',
  'refund',
  'refunds',
  'д',
  'да',
  'дата',
  '네',
  '네가',
  '保险',
  '保险单',
  '险',
  '👍',
  '🇩🇪',
  '倀倁',
  'id7',
);
const units = fc.array(unit, { minLength: 1, maxLength: 3 });
const item = fc
  .tuple(
    fc.boolean(),
    fc.oneof(
      unit,
      units.map(all => `"${all.join(' ')}"`),
      units.map(all => all.join('-')),
    ),
  )
  .map(([excluded, text]) => `${excluded ? '-' : ''}${text}`);
const query = fc.tuple(unit, fc.array(item, { maxLength: 3 })).map(([first, rest]) => [...rest, first].join(' '));

describe('The index of long texts', () => {
  /** Checks that the index finds each text that matches. @returns how many texts matched, and how many it left out */
  async function compare(long: string): Promise<{ matched: number; leftOut: number }> {
    const counts = { matched: 0, leftOut: 0 };
    await fc.assert(
      fc.asyncProperty(units, units, query, async (before, after, asked) => {
        const text = `${before.join(' ')}. ${long} ${after.join(' ')}`;
        const parsed = parseQuery(asked);
        if (!parsed) return;
        const rows: { found: boolean }[] = await world.app.database.query(
          'SELECT $1::tsvector @@ $2::tsquery AS found',
          [toTsvector(5, termsByField([text])), toTsquery(5, parsed)],
        );
        const found = rows[0]?.found === true;
        const matches = highlight(parsed, { text }) !== null;
        if (matches) counts.matched += 1;
        if (!found) counts.leftOut += 1;
        expect({ asked, before, after, isMissed: matches && !found }).toEqual({
          asked,
          before,
          after,
          isMissed: false,
        });
      }),
      settings,
    );
    return counts;
  }

  it.each(Object.keys(STORED))('The index finds a text of %s if it matches, and leaves out others', async name => {
    const { matched, leftOut } = await compare(STORED[name] ?? '');
    expect(matched).toBeGreaterThan(0);
    expect(leftOut).toBeGreaterThan(0);
  });

  it.each(Object.keys(UNLISTED))('The index finds a text of %s for every query', async name => {
    const { matched, leftOut } = await compare(UNLISTED[name] ?? '');
    expect(matched).toBeGreaterThan(0);
    expect(leftOut).toBe(0);
  });

  it('An agent finds long messages of every kind, by each part and by nothing that they do not have', async () => {
    const { id } = await world.conversation(await world.visitor(desk), '?');
    const contents = Object.values({ ...STORED, ...UNLISTED }).map(
      (long, index) => `n${index} 保险单 ${long.slice(0, 19_000)} 네가 end${index}`,
    );
    for (const content of contents) {
      const sent = await desk.owner.api.post(`/v1/conversations/${id as string}/messages`, { content });
      expect(sent.status).toBe(201);
    }
    await indexed(world);
    const numbers = async (asked: string) =>
      (await search(desk.owner.api, asked)).map(hit => (hit.message.seq as number) - 2);
    expect(await numbers('保险')).toEqual([5, 4, 3, 2, 1, 0]);
    expect(await numbers('"保险单" -end2')).toEqual([5, 4, 3, 1, 0]);
    expect(await numbers('네가 n3')).toEqual([3]);
    expect(await numbers('n5 or n0')).toEqual([5, 0]);
    expect(await numbers('험보')).toEqual([]);
    const [{ largest }] = (await world.app.database.query(
      'SELECT max(length(terms)) AS largest FROM search_document',
    )) as [{ largest: number }];
    expect(largest).toBeLessThanOrEqual(2_501);
    expect(largest).toBeGreaterThan(400);
  });
});
