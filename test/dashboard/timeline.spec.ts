import { describe, expect, it } from '@jest/globals';
import { buildBlocks, isSameBlock } from '../../clients/dashboard/src/inbox/timeline/blocks.js';
import { edits, editLastOwn } from '../../clients/dashboard/src/inbox/timeline/edits.js';
import { buildEntries } from '../../clients/dashboard/src/inbox/timeline/entries.js';
import { eventText } from '../../clients/dashboard/src/inbox/timeline/event-text.js';
import type { MessageView } from '../../clients/sdk/src/index.js';

const NOON = Date.UTC(2026, 4, 5, 12);
const nameOf = (id: string) => ({ ben: 'Ben', olivia: 'Olivia' })[id];

/** @param minutes after noon */
function message(seq: number, minutes: number, fields: Partial<MessageView> = {}): MessageView {
  return {
    id: `m${seq}`,
    seq,
    sender_type: 'contact',
    sender_id: 'vera',
    content: `Text ${seq}`,
    content_type: 'text',
    private: false,
    metadata: {},
    created_at: new Date(NOON + minutes * 60_000).toISOString(),
    edited_at: null,
    deleted_at: null,
    ...fields,
  } as MessageView;
}

const event = (metadata: Record<string, unknown>) => message(1, 0, { content_type: 'event', metadata });
const sentence = (metadata: Record<string, unknown>) => eventText(event(metadata), 'olivia', nameOf);

describe('The blocks of a timeline', () => {
  const blocksOf = (messages: MessageView[]) => buildBlocks(buildEntries(messages, undefined));
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => message(from + index, (from + index) * 10));

  it('Blocks hold every line once and in order, a day with the message after it.', () => {
    const messages = range(1, 150);
    const entries = buildEntries(messages, undefined);
    const blocks = buildBlocks(entries);
    expect(blocks.flatMap(block => block.entries)).toEqual(entries);
    expect(blocks.length).toBe(4);
    for (const block of blocks) expect(block.entries.at(-1)?.kind).toBe('message');
  });

  it('Older messages change no block but the first, and a changed message changes its own block alone.', () => {
    const messages = range(60, 300);
    const before = blocksOf(messages.slice(40));
    const after = blocksOf(messages);
    const isKept = ({ key }: { key: number }, index: number) =>
      isSameBlock(
        before[index]!,
        after.find(block => block.key === key)!,
      );
    expect(before.map(isKept)).toEqual([false, true, true, true, true, true]);

    const edited = messages.map(each => (each.seq === 200 ? { ...each, content: 'Changed' } : each));
    const changed = blocksOf(edited).filter((block, index) => !isSameBlock(block, after[index]!));
    expect(changed.map(({ key }) => key)).toEqual([5]);
  });
});

describe('The sentences of events', () => {
  it('An assignment names the one who took, or who assigned whom.', () => {
    const ben = { type: 'agent', id: 'ben' };
    expect(sentence({ event: 'assigned', actor: ben, assignee_id: 'ben' })).toBe('Ben took it');
    expect(sentence({ event: 'assigned', actor: ben, assignee_id: 'olivia' })).toBe('Ben assigned it to you');
    expect(sentence({ event: 'assigned', actor: { type: 'system', id: null }, assignee_id: 'ben' })).toBe(
      'Assigned to Ben',
    );
    expect(sentence({ event: 'assigned', actor: { type: 'system', id: null }, assignee_id: 'olivia' })).toBe(
      'Assigned to you',
    );
    expect(sentence({ event: 'unassigned', actor: ben, assignee_id: null })).toBe('Ben unassigned it');
  });

  it('A state names its actor, a rating its score and comment.', () => {
    expect(sentence({ event: 'resolved', actor: { type: 'agent', id: 'olivia' } })).toBe('You resolved it');
    expect(sentence({ event: 'reopened', actor: { type: 'contact', id: 'vera' } })).toBe('The contact reopened it');
    expect(sentence({ event: 'snoozed', actor: { type: 'agent', id: 'gone' } })).toBe(
      'Somebody snoozed it until the contact writes',
    );
    expect(sentence({ event: 'woken', actor: { type: 'contact', id: 'vera' }, reason: 'contact_wrote' })).toBe(
      'The snooze ended',
    );
    expect(sentence({ event: 'woken', actor: { type: 'agent', id: 'ben' } })).toBe('Ben ended the snooze');
    expect(sentence({ event: 'rated', score: 4, comment: 'Quick' })).toBe('Rated 4 of 5: “Quick”');
  });
});

describe('The last own message', () => {
  const own = { sender_type: 'agent', sender_id: 'olivia' } as const;
  const now = (fields: Partial<MessageView>, seq: number) =>
    message(seq, 0, { ...own, created_at: new Date().toISOString(), ...fields });

  it('It can be edited for 15 minutes, and not once it was unsent.', () => {
    expect(editLastOwn([now({}, 1), message(2, 0)], 'olivia')).toBe(true);
    expect(edits.get('m1').value).toBe('Text 1');
    edits.delete('m1');
    expect(editLastOwn([message(1, 0, own)], 'olivia')).toBe(false);
    expect(editLastOwn([now({ deleted_at: new Date().toISOString() }, 1)], 'olivia')).toBe(false);
    expect(editLastOwn([message(1, 0)], 'olivia')).toBe(false);
    expect(edits.ids.value.size).toBe(0);
  });
});
