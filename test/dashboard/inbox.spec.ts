import { describe, expect, it } from '@jest/globals';
import type { MessageView } from '@support-chat/sdk';
import { keyLabel, isSingleKey } from '../../clients/dashboard/src/inbox/commands.js';
import { findTrigger, insertAt } from '../../clients/dashboard/src/inbox/composer/trigger.js';
import { snoozeTimes } from '../../clients/dashboard/src/inbox/snooze-times.js';
import { buildEntries } from '../../clients/dashboard/src/inbox/timeline/entries.js';

const at = (day: number, minute: number) => new Date(2026, 0, day, 12, minute).toISOString();
const message = (seq: number, minute: number, fields: Partial<MessageView> = {}) =>
  ({
    id: `m${seq}`,
    seq,
    sender_type: 'contact',
    sender_id: 'p1',
    content_type: 'text',
    private: false,
    deleted_at: null,
    created_at: at(1, minute),
    ...fields,
  }) as MessageView;

describe('The timeline of the dashboard', () => {
  const kinds = (messages: MessageView[], newSeq?: number) =>
    buildEntries(messages, newSeq).map(entry =>
      entry.kind === 'message'
        ? `${entry.message.seq}${entry.isFirst ? ' first' : ''}${entry.isLast ? ' last' : ''}`
        : entry.kind,
    );

  it('Messages of one sender within five minutes stand in one group.', () => {
    const messages = [message(1, 0), message(2, 4), message(3, 20), message(4, 21, { sender_id: 'p2' })];
    expect(kinds(messages)).toEqual(['day', '1 first', '2 last', '3 first last', '4 first last']);
  });

  it('A note, an entry of the service, another day and the line of new messages end a group.', () => {
    const own = { sender_type: 'agent', sender_id: 'a1' } as const;
    const messages = [
      message(1, 0, own),
      message(2, 1, { ...own, private: true }),
      message(3, 2, { content_type: 'event' }),
      message(4, 3, own),
      message(5, 0, { created_at: at(2, 0) }),
      message(6, 1, { created_at: at(2, 1) }),
    ];
    const expected = ['day', '1 first last', '2 first last', 'event', '4 first last', 'day', '5 first last', 'new'];
    expect(kinds(messages, 6)).toEqual([...expected, '6 first last']);
  });

  it('A resolve that was taken back leaves no line.', () => {
    expect(kinds([message(1, 0, { content_type: 'event', deleted_at: at(1, 1) })])).toEqual(['day']);
  });
});

describe('The composer of the dashboard', () => {
  it('A list opens by its sign at the beginning of a word, and not within one.', () => {
    expect(findTrigger('/tha', 4, '/@')).toEqual({ sign: '/', query: 'tha', start: 0 });
    expect(findTrigger('Ask @be', 7, '/@')).toEqual({ sign: '@', query: 'be', start: 4 });
    expect(findTrigger('ana@example', 11, '/@')).toBeUndefined();
    expect(findTrigger('and/or', 6, '/@')).toBeUndefined();
    expect(findTrigger('Ask @be', 7, '/')).toBeUndefined();
    expect(findTrigger('Ask @ben please', 15, '/@')).toBeUndefined();
  });

  it('A chosen entry replaces the word, and leaves what stands around it.', () => {
    const trigger = findTrigger('Ask @be now', 7, '@');
    expect(trigger && insertAt('Ask @be now', trigger, '@Ben')).toEqual({ text: 'Ask @Ben now', caret: 8 });
  });
});

describe('The keys of the dashboard', () => {
  it('Keys are shown as they stand on the keyboard of the system.', () => {
    expect([keyLabel('$mod+k', true), keyLabel('$mod+k', false)]).toEqual(['⌘K', 'Ctrl+K']);
    expect([keyLabel('g m', false), keyLabel('Shift+J', false), keyLabel('Shift+?', false)]).toEqual([
      'G M',
      '⇧J',
      '?',
    ]);
  });

  it('Keys with Ctrl or ⌘ stay when single keys are switched off.', () => {
    expect(['j', 'Shift+E', 'g m', '$mod+k'].map(isSingleKey)).toEqual([true, true, true, false]);
  });
});

describe('The times of a snooze', () => {
  it('Tomorrow and next week are mornings, and next week is a Monday.', () => {
    const sunday = new Date(2026, 10, 29, 22, 30);
    const [, , tomorrow, week] = snoozeTimes(sunday).map(({ at: time }) => time);
    expect([tomorrow, week]).toEqual([new Date(2026, 10, 30, 9), new Date(2026, 10, 30, 9)]);
    const monday = snoozeTimes(new Date(2026, 10, 30, 8)).at(-1)?.at;
    expect(monday).toEqual(new Date(2026, 11, 7, 9));
  });
});
