import { describe, expect, it } from '@jest/globals';
import { VerifiedTokens } from '../../src/platform/access/verified-tokens.js';

const tokenWithExpiry = (exp: number) => ({ claims: { exp } });
const at = (seconds: number) => new Date(seconds * 1000);

describe('The cache of verified tokens', () => {
  it('A cached token is found by its whole text until it expires.', () => {
    const tokens = new VerifiedTokens();
    const claims = tokenWithExpiry(100);
    tokens.add('a.b.c', claims);
    expect(tokens.find('a.b.c', at(99))).toBe(claims);
    expect(tokens.find('a.b.d', at(99))).toBeUndefined();
    expect(tokens.find('a.b.c', at(100))).toBeUndefined();
    // It stays removed even if the clock goes back.
    expect(tokens.find('a.b.c', at(99))).toBeUndefined();
  });

  it('A full cache evicts tokens, but not one that is used again and again.', () => {
    const tokens = new VerifiedTokens(10);
    tokens.add('kept', tokenWithExpiry(100));
    tokens.add('left', tokenWithExpiry(100));
    const known: (string | undefined)[] = [];
    for (let index = 0; index < 100; index += 1) {
      tokens.add(`t${index}`, tokenWithExpiry(100));
      known.push(tokens.find('kept', at(1)) && 'kept');
    }
    expect(new Set(known)).toEqual(new Set(['kept']));
    expect(tokens.find('left', at(1))).toBeUndefined();
    const still = Array.from({ length: 100 }, (_nothing, index) => tokens.find(`t${index}`, at(1))).filter(Boolean);
    expect(still.length).toBeGreaterThanOrEqual(8);
    expect(still.length).toBeLessThan(20);
  });
});
