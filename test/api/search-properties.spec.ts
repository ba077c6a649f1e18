import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Segment } from '../../src/modules/search/search-window.js';
import { nextWindow, SEGMENT_DOCUMENTS, WindowSizes } from '../../src/modules/search/search-window.js';
import { indexed, search, titleOf } from '../support/found.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const { SEARCH_RUNS = '300', PROPERTY_SEED } = process.env;
const settings = {
  numRuns: Number(SEARCH_RUNS),
  ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }),
};

/** Spellings of one word by its plain form. */
const WORDS: Record<string, string[]> = {
  refund: ['refund', 'Refund', 'REFUND', 'ｒｅｆｕｎｄ'],
  refunded: ['refunded', 'Refunded'],
  cafe: ['cafe', 'café', 'Cafe\u0301', 'CAFÉ'],
  елка: ['ёлка', 'елка', 'Ёлка'],
  طلب: ['طلب', 'طَلَب'],
  '42': ['42', '٤٢'],
  late: ['late', 'Late'],
};
const plainOf = new Map(Object.entries(WORDS).flatMap(([plain, all]) => all.map(spelling => [spelling, plain])));
const RUN_LETTERS = ['京', '都', '東', 'の', 'ス'];

const word = fc.constantFrom(...plainOf.keys());
const runOf = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...RUN_LETTERS), { minLength, maxLength }).map(letters => letters.join(''));
/** A text as a list of words and runs, so that the reference needs no tokenizer. */
const text = fc.array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: runOf(1, 5) }), {
  minLength: 1,
  maxLength: 8,
});
const separator = fc.constantFrom(' ', ', ', '. ', '\n', ' – ', '/');

type Item =
  | { kind: 'word'; word: string }
  | { kind: 'run'; run: string }
  | { kind: 'phrase'; words: string[] }
  | { kind: 'prefix'; start: string };
interface Alternative {
  all: Item[];
  none: Item[];
}

const item: fc.Arbitrary<Item> = fc.oneof(
  word.map(each => ({ kind: 'word' as const, word: each })),
  runOf(2, 3).map(run => ({ kind: 'run' as const, run })),
  fc.array(word, { minLength: 2, maxLength: 3 }).map(words => ({ kind: 'phrase' as const, words })),
);
const alternative: fc.Arbitrary<Alternative> = fc.record({
  all: fc.array(item, { minLength: 1, maxLength: 3 }),
  none: fc.array(item, { maxLength: 2 }),
});
const prefix = fc.tuple(word, fc.integer({ min: 1, max: 6 })).map(([each, length]) => each.slice(0, length));
const query = fc.record({
  alternatives: fc.array(alternative, { minLength: 1, maxLength: 2 }),
  prefix: fc.option(
    prefix.filter(start => plainStart(start) !== ''),
    { nil: null },
  ),
});
type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

/** The plain form of the start of a word. */
function plainStart(start: string): string {
  const composed = start.normalize('NFKC').toLowerCase();
  return composed.replace('é', 'e').replace('ё', 'е').replace('٤', '4').replace('٢', '2').replaceAll('\u064e', '');
}

function write({ alternatives, prefix: start }: Query): string {
  const one = (each: Item): string => {
    if (each.kind === 'word') return `"${each.word}"`;
    if (each.kind === 'run') return each.run;
    return each.kind === 'phrase' ? `"${each.words.join(' ')}"` : each.start;
  };
  const parts = alternatives.map(({ all, none }) => [...none.map(each => `-${one(each)}`), ...all.map(one)].join(' '));
  return `${parts.join(' or ')}${start === null ? '' : ` ${start}`}`;
}

function hasItem(units: readonly string[], each: Item): boolean {
  const plain = units.map(unit => plainOf.get(unit) ?? unit);
  const isRun = (unit: string) => RUN_LETTERS.includes(unit.charAt(0));
  if (each.kind === 'word') return plain.includes(plainOf.get(each.word) ?? '');
  if (each.kind === 'run') return plain.some(unit => isRun(unit) && unit.includes(each.run));
  if (each.kind === 'prefix') return plain.some(unit => !isRun(unit) && unit.startsWith(plainStart(each.start)));
  const words = each.words.map(one => plainOf.get(one));
  return plain.some((_unit, at) => words.every((one, offset) => plain[at + offset] === one));
}

/** The reference: a scan of every text. */
function matches(units: readonly string[], { alternatives, prefix: start }: Query): boolean {
  return alternatives.some(({ all, none }, index) => {
    const isLast = index === alternatives.length - 1;
    const items = isLast && start !== null ? [...all, { kind: 'prefix' as const, start }] : all;
    return items.every(each => hasItem(units, each)) && !none.some(each => hasItem(units, each));
  });
}

describe('Search compared with a scan', () => {
  let world: World;
  let desk: Desk;
  const texts: string[][] = [];
  const contents: string[] = [];
  beforeAll(async () => {
    world = await World.start();
    desk = await world.desk();
    const { id } = await world.conversation(await world.visitor(desk), '?');
    const samples = fc.sample(fc.tuple(text, fc.array(separator, { minLength: 8, maxLength: 8 })), {
      numRuns: 120,
      ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }),
    });
    for (const [units, separators] of samples) {
      const content = units
        .map((unit, index) => unit + (separators[index] ?? ' '))
        .join('')
        .trim();
      // adjacent runs without a letter between them stay apart by their separator
      const sent = await desk.owner.api.post(`/v1/conversations/${id as string}/messages`, { content });
      if (sent.status !== 201) throw new Error(JSON.stringify(sent.body));
      texts.push(units);
      contents.push(content);
      if (texts.length % 30 === 0) {
        await indexed(world);
        await world.app.database.query('UPDATE search_segment SET open = false');
      }
    }
    await indexed(world);
  }, 120_000);
  afterAll(() => world.stop());

  it('A search finds the texts that a scan finds, for words, prefixes, phrases, parts of runs, exclusions and alternatives', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(query, async asked => {
        const written = write(asked);
        if ([...written].length > 200) return;
        const items = await search(desk.owner.api, written, { in: 'messages', limit: '40' });
        const expected = contents.filter((_content, index) => matches(texts[index] ?? [], asked)).reverse();
        expect([written, items.map(titleOf)]).toEqual([written, expected]);
        found += expected.length;
      }),
      settings,
    );
    expect(found).toBeGreaterThan(0);
  }, 600_000);
});

describe('The windows of a search', () => {
  const segment = fc
    .record({ id: fc.nat(), first: fc.nat(1_000), span: fc.nat(200), documents: fc.integer({ min: 1, max: 9_000 }) })
    .map(({ id, first, span, documents }): Segment => ({
      id,
      documents,
      firstAt: new Date(first),
      lastAt: new Date(first + span),
    }));
  const sorted = fc
    .uniqueArray(segment, { selector: ({ id }) => id, maxLength: 150 })
    .map(segments => segments.sort((a, b) => b.lastAt.getTime() - a.lastAt.getTime()));

  it('The windows follow each other, and each has every segment that may have a document of its time', () => {
    fc.assert(
      fc.property(sorted, fc.integer({ min: 1, max: 50_000 }), (segments, documents) => {
        let before: Date | null = null;
        const times = new Set<number>();
        for (let window = nextWindow(segments, before, documents); window;) {
          const { after, segmentIds } = window;
          for (const { id, firstAt, lastAt } of segments) {
            const begins = firstAt.getTime() <= (before ?? lastAt).getTime();
            const ends = after === null || lastAt > after;
            if (begins && ends) expect(segmentIds).toContain(id);
          }
          if (after === null) break;
          if (before) expect(after.getTime()).toBeLessThan(before.getTime());
          expect(times.has(after.getTime())).toBe(false);
          times.add(after.getTime());
          before = after;
          window = nextWindow(segments, before, documents);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('A window grows fast while there are no hits, and has about as many documents as the rest of the page needs', () => {
    const sizes = new WindowSizes(60);
    sizes.advance();
    expect(sizes.documents).toBe(8 * SEGMENT_DOCUMENTS);
    sizes.addHits(20);
    sizes.advance();
    // 9 segments had 20 hits, so 18 have the other 40
    expect(sizes.documents).toBe(27 * SEGMENT_DOCUMENTS);
    sizes.addHits(100);
    sizes.advance();
    expect(sizes.documents).toBe(SEGMENT_DOCUMENTS);
  });
});
