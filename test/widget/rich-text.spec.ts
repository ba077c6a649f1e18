import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseText, type Block, type Inline } from '../../clients/ui/src/rich-text.js';

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[click](javascript:alert(1))',
  '[click](JaVaScRiPt:alert(1))',
  '[click](data:text/html,<script>alert(1)</script>)',
  'javascript:alert(1)',
  '[a](https://x.example" onmouseover="alert(1))',
  'https://x.example/"><svg/onload=alert(1)>',
  'http://\u0000javascript:alert(1)',
  '[a]( javascript:alert(1))',
  '`<b>`**<i>**_<u>_',
  '```\n</pre><script>alert(1)</script>',
  'vbscript:msgbox(1) file:///etc/passwd',
  '[https://bank.example](https://evil.example)',
  'https://bank.example@evil.example/',
];

const inlineOf = (block: Block): Inline[] =>
  block.kind === 'code' ? [] : block.kind === 'list' ? block.items.flat() : block.children;

function linksIn(parts: Inline[]): Extract<Inline, { kind: 'link' }>[] {
  return parts.flatMap(part => {
    if (typeof part === 'string' || part.kind === 'code') return [];
    return part.kind === 'link' ? [part] : linksIn(part.children);
  });
}

const links = (text: string, markdown = true) => parseText(text, markdown).flatMap(block => linksIn(inlineOf(block)));
const only = (text: string) => parseText(text, true)[0];

describe('The text of a message', () => {
  it.each(HOSTILE)('A hostile message has no link but to a web page or a mail address: %j', text => {
    for (const markdown of [true, false]) {
      for (const { href } of links(text, markdown))
        expect(href).toMatch(/^(https?:\/\/[^@"<>]+|mailto:[\w.+-]+@[\w.-]+)$/);
    }
  });

  it('No text of random characters makes another link than to a web page or a mail address', () => {
    const pieces = fc.constantFrom('[', ']', '(', ')', '**', '_', '`', '\n', 'http://', 'javascript:', 'a.b', '@', ' ');
    const text = fc
      .array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 30 })
      .map(parts => parts.join(''));
    fc.assert(
      fc.property(text, given => links(given).every(({ href }) => /^(https?|mailto):/.test(href))),
      { numRuns: 500 },
    );
  });

  it('A link whose label shows another address says its host', () => {
    expect(links('[https://bank.example](https://evil.example/x)')).toEqual([
      { kind: 'link', href: 'https://evil.example/x', text: 'https://bank.example', host: 'evil.example' },
    ]);
  });

  it('An address with a name before its host stays text', () => {
    expect(links('https://bank.example@evil.example/ [x](https://a:b@evil.example)')).toEqual([]);
  });

  it('A label cannot turn the direction of text', () => {
    expect(links('[a\u202eb](https://x.example)')[0]?.text).toBe('ab');
  });

  it('A link ends before the punctuation of its sentence', () => {
    expect(
      links('See https://x.example/a, (https://x.example/b). https://x.example/c_(d)').map(each => each.text),
    ).toEqual(['https://x.example/a', 'https://x.example/b', 'https://x.example/c_(d)']);
  });

  it('The text of a visitor keeps its stars and knows addresses only', () => {
    expect(parseText('**a** x@y.example', false)).toEqual([
      { kind: 'paragraph', children: ['**a** ', { kind: 'link', href: 'mailto:x@y.example', text: 'x@y.example' }] },
    ]);
  });

  it('Strong, emphasis and code are recognised, a name with underscores is not', () => {
    expect(only('**a _b_** *c* `d` snake_case_name 2*3*4')).toEqual({
      kind: 'paragraph',
      children: [
        { kind: 'strong', children: ['a ', { kind: 'em', children: ['b'] }] },
        ' ',
        { kind: 'em', children: ['c'] },
        ' ',
        { kind: 'code', text: 'd' },
        ' snake_case_name 2*3*4',
      ],
    });
  });

  it('Lists, quotes, headings and code are blocks, and lines of a paragraph stay together', () => {
    expect(parseText('# Title\na\nb\n\n- c\n- d\n3. e\n> f\n```js\n<g>\n```', true)).toEqual([
      { kind: 'paragraph', children: [{ kind: 'strong', children: ['Title'] }, '\n', 'a', '\n', 'b'] },
      { kind: 'list', items: [['c'], ['d']] },
      { kind: 'list', start: 3, items: [['e']] },
      { kind: 'quote', children: ['f'] },
      { kind: 'code', text: '<g>' },
    ]);
  });

  it('The time to parse grows with the length of a hostile text, not with its square', () => {
    const seeds = ['a', '*', '_', '**a', '[', '[a](', '`', 'a@', 'http://', 'a.', '> ', '- ', '\n'];
    // Processor time of this process alone, the shortest of several: other programs on the machine add nothing.
    const time = (text: string) => {
      const runs = [1, 2, 3].map(() => {
        const start = process.cpuUsage();
        for (let run = 0; run < 5; run++) parseText(text, true);
        return process.cpuUsage(start).user / 1_000;
      });
      return Math.min(...runs);
    };
    for (const seed of seeds) {
      const [short, long] = [2_000, 20_000].map(length => time(seed.repeat(length / seed.length))) as [number, number];
      expect({ seed, isSquare: long > 60 * short + 500 }).toEqual({ seed, isSquare: false });
    }
  });
});
