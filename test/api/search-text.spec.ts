import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { excerpt } from '../../src/modules/search/text/excerpt.js';
import { termsByField, toTsquery, toTsvector } from '../../src/modules/search/text/lexemes.js';
import { highlight } from '../../src/modules/search/text/matches.js';
import { normalise } from '../../src/modules/search/text/normalise.js';
import { parseQuery } from '../../src/modules/search/text/search-query.js';
import { termsOf, tokenize } from '../../src/modules/search/text/tokens.js';

const terms = (text: string) => tokenize(text).map(({ term }) => term);
const found = (query: string, text: string): string[] | null => {
  const parsed = parseQuery(query);
  if (!parsed) throw new Error(`${query} is too broad`);
  const highlights = highlight(parsed, { text });
  return highlights && (highlights.text ?? []).map(([start, end]) => text.slice(start, end));
};

describe('The terms of a text', () => {
  it.each([
    ['accents and case', 'Übergrößen, CAFÉ, cafe\u0301', ['ubergrossen', 'cafe', 'cafe']],
    ['Cyrillic', 'Ещё одна посылка', ['еще', 'одна', 'посылка']],
    ['Greek', 'Ὀδυσσεύς ΟΔΟΣ', ['οδυσσευσ', 'οδοσ']],
    ['Turkish', 'İstanbul ışık', ['istanbul', 'isik']],
    ['Arabic vowel points, letter forms and digits', 'طَلَبٌ أين ٤٢', ['طلب', 'اين', '42']],
    ['Hebrew points', 'שָׁלוֹם', ['שלום']],
    ['Hindi, whose vowel signs stay', 'हिन्दी', ['हिन्दी']],
    ['full-width and ligatures', 'ＡＢＣ１２ ﬁne', ['abc12', 'fine']],
    ['Chinese', '东京都', ['东京', '京都', '都']],
    ['Japanese with half-width voicing', 'ｶﾞｽの', ['ガス', 'スの', 'の']],
    ['Thai', 'มาดี', ['มา', 'าด', 'ดี', 'ี']],
    ['Korean words', '배송 조회', ['배송', '조회']],
    ['mixed scripts', 'iPhone手机壳', ['iphone', '手机', '机壳', '壳']],
    ['emoji without skin tone, family and flags', '👍🏽 👩\u200d💻 🇩🇪', ['👍', '👩', '💻', '🇩🇪']],
    ['an e-mail address', 'Vera_L@example.com', ['vera', 'l', 'example', 'com']],
  ])('The service splits a text with %s', (_name, text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it('A normalised text stays as it is when it is normalised again, in any form in which Unicode writes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), text => {
        const once = normalise(text.toWellFormed());
        expect(normalise(once)).toBe(once);
        expect(normalise(text.toWellFormed().normalize('NFD'))).toBe(once);
      }),
    );
  });

  it('The form of a word that is normalised letter by letter is that of the whole word', () => {
    const letters = fc.constantFrom(...'aÉßçΣσςИйЁَآﷺシギｼﾞㅎㅏㄴ한하한กำक़हिნΩÅǆﬁ²⑤');
    const word = fc.oneof(fc.string({ unit: letters, maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }));
    // the enclosing mark is removed, but a word with marks is normalised as a whole
    fc.assert(
      fc.property(word, text => expect(normalise(`é${text}`)).toBe(normalise(`\u20ddé${text}`))),
      { numRuns: 2_000 },
    );
  });

  it('Each token marks a part of the text that has its terms, and tokens never go back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
        let last = 0;
        for (const { term, start, end, firstEnd } of tokenize(text)) {
          expect(term).not.toBe('');
          expect(start).toBeGreaterThanOrEqual(last);
          expect(firstEnd).toBeGreaterThan(start);
          expect(end).toBeGreaterThanOrEqual(firstEnd);
          expect(end).toBeLessThanOrEqual(text.length);
          last = start;
        }
      }),
    );
  });

  it('The terms of a text for the index are those of its tokens', () => {
    const runs = fc.string({ unit: fc.constantFrom(...'保险𠀀々のガｶﾞกำี é👍🇩🇪a'), maxLength: 150 });
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 90 }), fc.string({ unit: 'binary', maxLength: 60 }), runs), text => {
        expect(termsOf(text)).toEqual(terms(text));
      }),
    );
    expect(termsOf('Word'.repeat(40))).toEqual(terms('Word'.repeat(40)));
  });

  it('The term of a single Chinese or Japanese character is its normalised form', () => {
    const others: string[] = [];
    for (let code = 0x3000; code <= 0x32_3af; code += 1) {
      if (code >= 0xd800 && code <= 0xf8ff) continue;
      const character = String.fromCodePoint(code);
      // the enclosing mark is removed, but no character beside a mark is taken as it is
      const form = /\p{L}/u.test(character) ? normalise(`\u20dd${character}`) : '';
      if ([...form].length === 1 && termsOf(character).join() !== form) others.push(character);
    }
    expect(others).toEqual([]);
  });

  it('A lexeme of the index contains no character that PostgreSQL would read as syntax', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
        for (const { term } of tokenize(text)) expect(term).not.toMatch(/['\\\s:*&|!<>()/\0]/u);
      }),
    );
  });
});

describe('A query', () => {
  it.each([
    ['words in any order', 'late parcel', 'My parcel is late', ['parcel', 'late']],
    ['the last word as a prefix', 'my par', 'My parcel', ['My', 'parcel']],
    ['only whole words before the last', 'par my', 'My parcel', null],
    ['a phrase', '"is late"', 'Is it late? It is late.', ['is late']],
    ['no prefix in quotes', '"is lat"', 'It is late.', null],
    ['an unfinished quote', '"is late', 'It is late.', ['is late']],
    ['typographic quotes', '“is late”', 'It is late.', ['is late']],
    ['an excluded word', 'parcel -late', 'My parcel is late', null],
    ['an excluded phrase', 'parcel -"late is"', 'My parcel is late', ['parcel']],
    ['alternatives', 'refund or late', 'My parcel is late', ['late']],
    ['alternatives of several words', 'refund now or parcel late', 'My parcel is late', ['parcel', 'late']],
    ['the word “or” at the end', 'gold or', 'Gold or silver', ['Gold', 'or']],
    ['a number among signs', '#1234', 'Order 1234 (new)', ['1234']],
    ['an e-mail address as a phrase', 'vera@exa', 'Write to Vera@example.com.', ['Vera@example']],
    ['a part of Chinese text', '京都', '东京都的订单', ['京都']],
    ['a part of Thai text', 'พัสดุ', 'ส่งพัสดุแล้ว', ['พัสดุ']],
    ['Chinese beside Latin', 'iphone手机', '我的iPhone手机壳', ['iPhone手机']],
    ['one Chinese character beside a word', '壳 iphone', '我的iPhone手机壳', ['iPhone', '壳']],
    ['characters that are not adjacent', '东都', '东京都', null],
    ['an emoji with another skin tone', '👍🏽', 'Great 👍!', ['👍']],
    ['accents that the text does not have', 'gröss', 'Die Grosse', ['Grosse']],
    ['a range of UTF-16 units after an emoji', 'late', '📦📦 late', ['late']],
  ])('A query finds %s', (_name, query, text, expected) => {
    expect(found(query, text)).toEqual(expected);
  });

  it.each(['-late', '"', '!?', '-late -"is it"', 'parcel or -late'])(
    'A query of exclusions or signs alone, %s, is too broad',
    query => {
      expect(parseQuery(query)).toBeNull();
    },
  );

  it('Words may be in different fields, a phrase may not', () => {
    const fields = { name: 'Vera Lindqvist', email: 'vera@example.com' };
    expect(highlight(parseQuery('lindqvist example') ?? [], fields)).toEqual({ name: [[5, 14]], email: [[5, 12]] });
    expect(highlight(parseQuery('"lindqvist vera"') ?? [], fields)).toBeNull();
  });
});

describe('An excerpt', () => {
  it('Shows the first match in 300 units, with the ranges of the matches in it', () => {
    const text = `${'x '.repeat(400)}needle ${'y '.repeat(400)}needle`;
    const [range] = highlight(parseQuery('needle') ?? [], { text })?.text ?? [];
    const cut = excerpt(text, [range ?? [0, 0], [text.length - 6, text.length]]);
    expect(cut.text).toHaveLength(300);
    expect(cut.ranges.map(([start, end]) => cut.text.slice(start, end))).toEqual(['needle']);
  });

  it('Cuts no surrogate pair, and its ranges stay within it', () => {
    const texts = fc.array(fc.constantFrom('needle', '📦', 'é', ' ', '漢'), { minLength: 200, maxLength: 500 });
    fc.assert(
      fc.property(texts, parts => {
        const text = parts.join('');
        const ranges = highlight(parseQuery('needle') ?? [], { text })?.text ?? [];
        const cut = excerpt(text, ranges);
        expect(cut.text.isWellFormed()).toBe(true);
        expect(cut.text.length).toBeLessThanOrEqual(300);
        for (const [start, end] of cut.ranges) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(cut.text.length);
        }
      }),
    );
  });
});

describe('The lexemes of a document', () => {
  it('A document with more positions than PostgreSQL stores is marked, and a phrase of it may match', () => {
    const crowded = toTsvector(7, termsByField([`${'word '.repeat(300)}end`]));
    expect(crowded).toContain(`'7/*'`);
    expect(toTsvector(7, termsByField(['a few words']))).toBe(`'7/a':1 '7/few':2 '7/words':3`);
    expect(toTsquery(40, parseQuery('"a b" -c or d') ?? [])).toBe(
      `(('14/a' <1> '14/b' | '14/a' & '14/b' & '14/*') & !'14/c') | ('14/d':*) | '14/**'`,
    );
  });

  it('A query of pairs of letters also names their letters, which long documents have in their place', () => {
    expect(toTsquery(7, parseQuery('保险') ?? [])).toBe(`(('7/保险' | ('7/保险' | '7/保' & '7/险') & '7/*')) | '7/**'`);
    expect(toTsquery(7, parseQuery('-да late') ?? [])).toBe(`('7/late':* & (!('7/да') | '7/*')) | '7/**'`);
  });
});
