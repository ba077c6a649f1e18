import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readVisitedPage } from '../../src/modules/channels/index.js';
import { readPresentPage } from '../../src/modules/contacts/index.js';

const urlOf = (url: unknown, kept: string[] = []) => readVisitedPage({ url }, kept)?.url ?? null;

describe('The page that a visitor reports', () => {
  it.each([
    ['https://shop.example/cart', 'https://shop.example/cart'],
    ['http://shop.example', 'http://shop.example/'],
    ['https://ada:secret@shop.example/', 'https://shop.example/'],
    ['https://shop.example/#token=secret', 'https://shop.example/'],
    ['https://shop.example/?session=secret', 'https://shop.example/'],
    ['HTTPS://SHOP.example:443/Cart', 'https://shop.example/Cart'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://shop.example\\@evil.example/', 'https://shop.example/@evil.example/'],
    [' https://shop.example/\n', 'https://shop.example/'],
    ['https://shop.example/a\u0000b\u0001c', 'https://shop.example/a%00b%01c'],
    ['https://shop.example/\ud800', 'https://shop.example/%EF%BF%BD'],
    ['https://shop.example/<script>"', 'https://shop.example/%3Cscript%3E%22'],
  ])('The URL %j is kept as %s', (given, kept) => {
    expect(urlOf(given)).toBe(kept);
  });

  it.each([
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>',
    'blob:https://shop.example/1',
    'file:///etc/passwd',
    'ftp://shop.example/',
    'about:blank',
    '//shop.example/',
    '/cart',
    'https://',
    'https://a b/',
    'https://[::1',
    'https://a b/',
    '',
    `https://shop.example/${'a'.repeat(2_048)}`,
    `https://${'a'.repeat(300_000)}`,
    null,
    undefined,
    7,
    ['https://shop.example/'],
    { href: 'https://shop.example/' },
  ])('The URL %j is dropped', given => {
    expect(urlOf(given)).toBeNull();
  });

  it.each([null, undefined, 'https://shop.example/', 7, [], true])('A page of the form %j is dropped', given => {
    expect(readVisitedPage(given, [])).toBeNull();
  });

  it("Only the channel's query parameters stay, in their order, with all their values", () => {
    const url = 'https://shop.example/?b=2&token=secret&a=1&b=3&Token=x#b=4';
    expect(urlOf(url, ['a', 'b'])).toBe('https://shop.example/?b=2&a=1&b=3');
    expect(urlOf('https://shop.example/?q=%20ü&x', ['q'])).toBe('https://shop.example/?q=+%C3%BC');
  });

  it('A URL that is long by its query alone stays without it', () => {
    expect(urlOf(`https://shop.example/?q=${'a'.repeat(10_000)}`)).toBe('https://shop.example/');
  });

  it('The referrer is cut to its origin, and dropped if it is no http(s) URL', () => {
    const referrerOf = (referrer: unknown) => readVisitedPage({ url: 'https://shop.example', referrer }, [])?.referrer;
    expect(referrerOf('https://ada:x@search.example:8443/find?q=illness#1')).toBe('https://search.example:8443');
    for (const referrer of ['android-app://com.example', 'javascript:1', '', null, 7, {}])
      expect(referrerOf(referrer)).toBeNull();
  });

  it('The title is one line of at most 200 characters', () => {
    const titleOf = (title: unknown) => readVisitedPage({ url: 'https://shop.example', title }, [])?.title;
    expect(titleOf(' Your\r\n\u0000cart \u009b')).toBe('Your cart');
    expect(titleOf('😀'.repeat(300))).toBe('😀'.repeat(200));
    expect(titleOf('lone \ud800')).toBe('lone \ufffd');
    for (const title of ['', ' \n', null, 7, {}, undefined]) expect(titleOf(title)).toBeNull();
  });

  it('A query of thirty thousand parameters is cut in milliseconds', () => {
    const url = `https://shop.example/?${Array.from({ length: 30_000 }, (_none, index) => `p${index}`).join('&')}`;
    const startedAt = performance.now();
    expect(urlOf(url, ['p29999'])).toBe('https://shop.example/?p29999=');
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it('Whatever a visitor sends, a page is storable text within its limits and has no secret parts', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true, withFragments: true }));
    fc.assert(
      fc.property(fc.record({ url: text, title: text, referrer: text }), given => {
        const page = readVisitedPage(given, ['kept']);
        if (page === null) return;
        const { username, password, hash, searchParams, protocol } = new URL(page.url);
        expect([username, password, hash]).toEqual(['', '', '']);
        expect([...searchParams.keys()].every(name => name === 'kept')).toBe(true);
        expect(protocol).toMatch(/^https?:$/);
        expect(page.url.length).toBeLessThanOrEqual(2_048);
        for (const value of [page.url, page.title ?? '', page.referrer ?? '']) {
          expect(value.isWellFormed()).toBe(true);
          expect(value).not.toMatch(/\p{Cc}/u);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('An entry of the presence store', () => {
  const page = { url: 'https://shop.example/', title: null, referrer: null };
  const at = '2026-01-31T09:30:00.123000Z';

  it('An entry that an instance wrote is read as its page', () => {
    expect(readPresentPage(JSON.stringify({ page, at }))).toEqual({ page, at });
  });

  it.each([
    undefined,
    '',
    'garbage',
    'null',
    '7',
    '[]',
    '{}',
    JSON.stringify({ page }),
    JSON.stringify({ page, at: 'now' }),
    JSON.stringify({ page: null, at }),
    JSON.stringify({ page: { url: page.url }, at }),
    JSON.stringify({ page: { ...page, url: 7 }, at }),
    JSON.stringify({ page: { ...page, title: {} }, at }),
  ])('The entry %j of another program is no page', entry => {
    expect(readPresentPage(entry)).toBeNull();
  });
});
