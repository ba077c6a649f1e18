import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { transcript, type Transcript } from '../../src/bin/demo/transcript.js';

const golden = readFileSync(new URL('./golden/transcript.txt', import.meta.url), 'utf8');
const at = (minute: number) => new Date(Date.UTC(2026, 0, 31, 9, minute, 5));

const resolved: Transcript = {
  title: 'parcel-stuck',
  topics: ['delivery', 'tracking'],
  lines: [
    {
      speaker: 'contact',
      name: 'Leïla Novak',
      text: "Hi, my order HP-20418 was supposed to arrive on Tuesday and the tracking page hasn't moved since Saturday. Is it lost?",
      at: at(30),
    },
    { speaker: 'service', name: '', text: 'assigned to Sam Pine (round robin)', at: at(30) },
    { speaker: 'service', name: '', text: 'tagged delivery, tracking', at: at(30) },
    {
      speaker: 'note',
      name: 'Sam Pine',
      text: '@Ada Oak, can you help with “delivery”? They write: “Hi, my order HP-20418 was supposed to arrive.”',
      at: at(30),
    },
    { speaker: 'service', name: '', text: 'Ada Oak is notified', at: at(30) },
    { speaker: 'agent', name: 'Sam Pine', text: 'Good morning! One moment please.', at: at(31) },
    {
      speaker: 'agent',
      name: 'Sam Pine',
      text: 'It sits in the depot. Where shall it go?\n\n1. to your door\n2. to a shop nearby',
      at: at(32),
    },
    { speaker: 'contact', name: 'Leïla Novak', text: '2, thanks 🙏', at: at(33) },
    {
      speaker: 'agent',
      name: 'Sam Pine',
      text: `Here you see where: https://harbour-pine.example/${'pick-up-points/'.repeat(4)}near-you`,
      at: at(34),
    },
    { speaker: 'service', name: '', text: 'resolved by Sam Pine', at: at(35) },
    {
      speaker: 'service',
      name: '',
      text: 'rated 5 of 5: “That was quick, and the shop nearby is on my way home anyway. Thanks 🙏”',
      at: at(36),
    },
  ],
  outcome: '5 messages, each seen by both sides',
};
const failed: Transcript = {
  title: 'lamp-and-bulb',
  topics: [],
  lines: [{ speaker: 'contact', name: 'Owen Byrne', text: 'is it dimmable' }],
  outcome: 'failed: message 1 did not reach the agent: no message.created within 10 s',
  failed: true,
};

describe('A transcript', () => {
  it('A transcript matches golden/transcript.txt.', () => {
    const pages = [transcript(resolved), transcript(failed), transcript(resolved, { width: 48, times: true })];
    expect(pages.join('')).toBe(golden);
  });

  it('A transcript is coloured only for a terminal.', () => {
    const plain = transcript(resolved);
    const coloured = transcript(resolved, { colour: true });
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(plain);
    expect(coloured).not.toBe(plain);
    expect(plain).not.toContain('\u001b');
  });

  it('A transcript removes control characters from names and messages.', () => {
    const nasty = '\u001b]0;owned\u0007 \u001b[2Jgone\r\u009b31mred\u202etxt.exe';
    const page = transcript({
      ...failed,
      title: nasty,
      outcome: nasty,
      lines: [{ ...failed.lines[0]!, name: nasty, text: nasty }],
    });
    expect(page).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });

  it('A transcript keeps every row within the page width.', () => {
    for (const width of [40, 60, 120]) {
      const rows = transcript(resolved, { width }).split('\n');
      expect(Math.max(...rows.map(row => [...row].length))).toBeLessThanOrEqual(width);
    }
  });
});
