import { describe, expect, it } from '@jest/globals';
import { RecentIds } from '../../clients/sdk/src/recent-ids.js';

describe('RecentIds', () => {
  it('RecentIds remembers its last ids and forgets the ones before them', () => {
    const seen = new RecentIds(3);
    for (const id of ['a', 'b', 'c', 'd']) expect(seen.add(id)).toBe(true);
    for (const id of ['b', 'c', 'd']) expect(seen.add(id)).toBe(false);
    expect(seen.add('a')).toBe(true);
    expect(seen.add('b')).toBe(true);
  });
});
