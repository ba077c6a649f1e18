import { LRUCache } from 'lru-cache';

const ASCII = /^[\0-\x7f]*$/;
/** Chinese and Japanese characters that stay as they are. */
const PLAIN = /^[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\u{20000}-\u{2ebe0}\u{30000}-\u{323af}]*$/u;
/** Accents, vowel points, joiners and variation selectors. Vowel signs of Indic and Thai scripts are letters. */
const MARKS =
  /[\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]/gu;
/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  þ: 'th',
  ς: 'σ',
  ى: 'ي',
  ی: 'ي',
  ة: 'ه',
  ک: 'ك',
};
/** The zeros of Arabic, Persian, Devanagari, Bengali and Thai digits. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];
const FOLDED = new RegExp(
  `[${Object.keys(LETTERS).join('')}${ZEROS.map(zero => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`).join('')}]`,
  'gu',
);
const SEPARATORS = /[^\p{L}\p{N}\p{M}]/gu;

/** Combining marks, the voicing marks of half-width Katakana, and parts of Hangul: they join with a letter before them. */
const JOINING = /[\p{M}\uff9e\uff9f\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\ud7b0-\ud7ff\uffa0-\uffdc]/u;

/** Letters and short words with their normalised forms, because most texts consist of the same ones. */
const remembered = new LRUCache<string, string>({ max: 10_000 });
/** V8 copies substrings of up to this length; a longer one would keep its whole text in memory. */
const MAX_REMEMBERED_LENGTH = 12;
/** A longer text is normalised as a whole, because it may have more letters than are remembered. */
const MAX_LETTERS = 100;

/**
 * Returns letters and digits in the form in which search compares them: without case, accents, and differences of width
 * or ligature. It is empty if nothing is left.
 */
export function normalise(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  if (PLAIN.test(text)) return text;
  if (text.length > MAX_LETTERS) return normaliseWhole(text);
  if (JOINING.test(text)) return remember(text);
  let normalised = '';
  for (const letter of text) normalised += remember(letter);
  return normalised;
}

function remember(text: string): string {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const normalised = normaliseWhole(text);
  if (text.length <= MAX_REMEMBERED_LENGTH) remembered.set(text, normalised);
  return normalised;
}

function normaliseWhole(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(FOLDED, letter => LETTERS[letter] ?? digit(letter))
    .normalize('NFC')
    .replace(SEPARATORS, '');
}

function digit(letter: string): string {
  const code = letter.charCodeAt(0);
  return String(code - (ZEROS.findLast(zero => zero <= code) ?? code));
}
