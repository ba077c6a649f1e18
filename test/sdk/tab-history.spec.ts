import { describe, expect, it } from '@jest/globals';
import { TabHistory } from '../../clients/sdk/src/tab-history.js';

const event = (id: string, cursor: string) => ({ type: 'message.created', id, cursor });

describe('The history of a tab', () => {
  it('A history tells which cursors the stream has reached, so that the events of a resume follow the one it began at.', () => {
    const leader = new TabHistory();
    leader.record(event('e60', 'c60'), 'c59');
    leader.record(event('e61', 'c60'), 'c60');
    leader.record({ type: 'resumed', data: { from: 'c60', to: 'c61' } }, 'c60');
    leader.record(event('e62', 'c61'), 'c61');
    expect(leader.since('c60')).toEqual([event('e61', 'c60'), { type: '', cursor: 'c61' }, event('e62', 'c61')]);
    expect(leader.since('c61')).toEqual([event('e62', 'c61')]);
  });

  it('A history does not know what was after a cursor that it has never seen, or has dropped.', () => {
    const history = new TabHistory();
    expect(history.since('c1')).toBeUndefined();
    for (let number = 1; number <= 501; number += 1) history.record(event(`e${number}`, `c${number}`), undefined);
    expect(history.since('c1')).toBeUndefined();
    expect(history.since('c500')?.at(-1)?.['id']).toBe('e501');
  });

  it('A history answers nothing about events of which it has only the ids, until it has received them.', () => {
    const history = new TabHistory();
    history.add('c2');
    history.add('c2', undefined, 'e3');
    expect([history.since('c2'), history.seenSince('c2')]).toEqual([undefined, ['e3']]);
    history.record(event('e3', 'c2'), 'c2');
    expect(history.since('c2')?.at(-1)).toEqual(event('e3', 'c2'));
  });
});
