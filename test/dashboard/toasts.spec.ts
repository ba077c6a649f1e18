import { describe, expect, it, jest } from '@jest/globals';
import { Toasts, UNDO_MS } from '../../clients/dashboard/src/parts/toasts.js';

describe('The toasts of the dashboard', () => {
  it('Toasts wait while somebody points at them, and go once their time is over.', () => {
    jest.useFakeTimers();
    try {
      const toasts = new Toasts();
      toasts.show({ kind: 'done', text: 'one' });
      toasts.show({ kind: 'done', text: 'two' });
      jest.advanceTimersByTime(UNDO_MS - 1_000);
      toasts.pause();
      jest.advanceTimersByTime(UNDO_MS);
      expect(toasts.shown.value.map(({ text }) => text)).toEqual(['one', 'two']);
      toasts.resume();
      jest.advanceTimersByTime(999);
      expect(toasts.shown.value).toHaveLength(2);
      jest.advanceTimersByTime(1);
      expect(toasts.shown.value).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('Three toasts are shown, and the latest action that can be undone is taken back.', () => {
    const toasts = new Toasts();
    const undone: string[] = [];
    for (const text of ['one', 'two', 'three', 'four']) {
      toasts.show({ kind: 'done', text, isUndo: text !== 'four', action: 'Undo', act: () => undone.push(text) });
    }
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(['two', 'three', 'four']);
    expect([toasts.undo(), toasts.undo(), toasts.undo()]).toEqual([true, true, false]);
    expect(undone).toEqual(['three', 'two']);
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(['four']);
    toasts.dismiss(toasts.shown.value[0]!.id);
  });
});
