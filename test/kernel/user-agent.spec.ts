import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeUserAgent } from '../../src/modules/conversations/index.js';

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('The User-Agent of a visitor', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
      { browser: 'Firefox 128', os: 'Windows 10', device: 'desktop' },
    ],
    [
      `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15`,
      { browser: 'Safari 17', os: 'macOS 10.15.7', device: 'desktop' },
    ],
    [
      `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/126.0.0.0 Mobile Safari/537.36`,
      { browser: 'Chrome 126', os: 'Android 10', device: 'mobile' },
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      { browser: 'Safari 17', os: 'iOS 17.5', device: 'tablet' },
    ],
    ['', { browser: null, os: null, device: null }],
    [undefined, { browser: null, os: null, device: null }],
    ['x', { browser: null, os: null, device: null }],
  ])('%s is described by names', (userAgent, expected) => {
    expect(describeUserAgent(userAgent)).toEqual(expected);
  });

  it.each([
    '(',
    ' ',
    'a',
    '; ',
    '1.',
    'version/',
    'android ',
    'like mac os x ',
    'Mozilla/5.0 (',
    'chrome/9',
    '\t/',
    '(k ',
  ])('A hostile User-Agent of repeated %j stalls nobody', part => {
    const hostile = part.repeat(Math.ceil(100_000 / part.length));
    describeUserAgent(hostile);
    const startedAt = performance.now();
    for (let round = 0; round < 20; round += 1) describeUserAgent(hostile);
    expect(performance.now() - startedAt).toBeLessThan(20 * 25);
  });

  it('Whatever a client sends, names have at most 100 characters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600, unit: 'binary' }), userAgent => {
        for (const name of Object.values(describeUserAgent(userAgent))) expect((name ?? '').length).toBeLessThan(101);
      }),
      { numRuns: 1_000 },
    );
  });
});
