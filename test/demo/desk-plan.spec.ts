import { describe, expect, it } from '@jest/globals';
import { noteText, planDesk } from '../../src/bin/demo/desk-plan.js';
import type { Dialogue } from '../../src/bin/demo/dialogue.js';

const dialogue: Dialogue = {
  id: 'parcel',
  topics: ['delivery', ' Tracking ', 'DELIVERY', ''],
  turns: [
    ['contact', 'Where is my parcel?'],
    ['contact', 'Hello?'],
    ['agent', 'On its way.'],
    ['contact', 'When does it arrive?'],
    ['agent', 'Tomorrow.'],
    ['contact', ' Thank you! '],
    ['agent', 'My pleasure.'],
  ],
};

describe('The plan of a desk', () => {
  it('Even dialogues have a note before the first answer and a photo with the last words, odd ones are snoozed after the last answer that the contact replies to.', () => {
    expect(planDesk(dialogue, 0)).toMatchObject({ noteBefore: 2, snoozeAfter: undefined, photoAt: 5 });
    expect(planDesk(dialogue, 1)).toMatchObject({ noteBefore: undefined, snoozeAfter: 4, photoAt: undefined });
  });

  it('The topics of a dialogue are its tags, once each, and its last words are the comment of the rating.', () => {
    expect(planDesk(dialogue, 0)).toMatchObject({
      tags: ['delivery', 'Tracking'],
      rating: { score: 5, comment: 'Thank you!' },
    });
  });

  it('A dialogue that nobody answers has no note, no snooze and no rating.', () => {
    const unanswered = { ...dialogue, turns: dialogue.turns.slice(0, 2) };
    const nothing = { noteBefore: undefined, snoozeAfter: undefined, rating: undefined };
    expect([planDesk(unanswered, 0), planDesk(unanswered, 1)]).toMatchObject([nothing, nothing]);
  });

  it('A dialogue is not snoozed if the contact replies to no answer.', () => {
    expect(planDesk({ ...dialogue, turns: dialogue.turns.slice(0, 3) }, 1).snoozeAfter).toBeUndefined();
  });

  it('Tags, comments and notes stay within the limits of the service, in whole characters.', () => {
    const long: Dialogue = {
      id: 'long',
      topics: Array.from({ length: 30 }, (_, index) => `${index} ${'🙏'.repeat(60)}`),
      turns: [
        ['contact', '🙏'.repeat(3_000)],
        ['agent', 'Well.'],
      ],
    };
    const { tags, rating } = planDesk(long, 0);
    expect(tags.map(tag => [...tag].length)).toEqual(Array(20).fill(50));
    expect(rating?.comment).toBe('🙏'.repeat(200));
    expect(noteText('Ada', long, '🙏'.repeat(20_000))).toMatch(
      /^@Ada, can you help with “0 (🙏){48}”\? They write: “(🙏){200}”$/u,
    );
  });

  it('A note without a topic asks for help alone.', () => {
    expect(noteText('Ada', { ...dialogue, topics: [] }, 'Hello?')).toBe('@Ada, can you help? They write: “Hello?”');
  });
});
