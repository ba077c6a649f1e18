import type { Speaker } from './dialogue.js';

/** One message, private note, or event of a transcript. Events are what the desk or the service did. */
export interface Line {
  speaker: Speaker | 'note' | 'service';
  name: string;
  text: string;
  at?: Date;
}

/** A dialogue that was played. */
export interface Transcript {
  title: string;
  topics: readonly string[];
  lines: readonly Line[];
  /** Result of the dialogue, shown at the end. */
  outcome: string;
  failed?: boolean;
}

export interface TranscriptStyle {
  /** Columns of the page; 80 by default. */
  width?: number | undefined;
  /** Adds terminal colours. */
  colour?: boolean | undefined;
  /** Adds the time of day to each name. */
  times?: boolean | undefined;
}

const MIN_WIDTH = 40;
const INK = { contact: 36, agent: 32, note: 33, service: 35, quiet: 2, bad: 31 } as const;

type Paint = (ink: keyof typeof INK, text: string) => string;

/** Formats a dialogue as text: the contact and events on the left, agents and their notes on the right. */
export function transcript({ title, topics, lines, outcome, failed }: Transcript, style: TranscriptStyle = {}): string {
  const width = Math.max(MIN_WIDTH, style.width ?? 80);
  const paint: Paint = (ink, text) => (style.colour ? `\u001b[${INK[ink]}m${text}\u001b[0m` : text);
  const body = lines.flatMap((line, index) => {
    const sameSpeaker = lines[index - 1]?.speaker === line.speaker;
    if (line.speaker === 'service') return [...(sameSpeaker ? [] : ['']), ...eventRows(line.text, width, paint)];
    const margin = ' '.repeat(line.speaker === 'contact' ? 2 : Math.floor(width * 0.25));
    const bar = paint(line.speaker, line.speaker === 'note' ? '┊' : '│');
    const text = wrap(line.text, Math.floor(width * 0.7)).map(row => `${bar} ${row}`.trimEnd());
    const rows = sameSpeaker ? text : [paint(line.speaker, nameOf(line, style)), ...text];
    return ['', ...rows.map(row => `${margin}${row}`)];
  });
  const head = paint('quiet', rule([title, topics.join(', ')], width));
  const end = wrap(outcome, width - 2).map(row => `  ${paint(failed ? 'bad' : 'quiet', row)}`);
  return `${[head, ...body, '', ...end, ''].join('\n')}\n`;
}

/** `→ assigned to Olivia` */
function eventRows(text: string, width: number, paint: Paint): string[] {
  return wrap(text, width - 4).map((row, index) => `  ${paint('service', `${index === 0 ? '→' : ' '} ${row}`)}`);
}

function nameOf({ speaker, name, at }: Line, style: TranscriptStyle): string {
  const title = speaker === 'note' ? `${clean(name)}, private note` : clean(name);
  return style.times && at ? `${title}  ${at.toISOString().slice(11, 19)}` : title;
}

/** `── title ─────────── topics ──` */
function rule(titles: [string, string], width: number): string {
  const [left, right] = titles.map(title => clean(title).replaceAll('\n', ' '));
  const ends = [`── ${left} `, right === '' ? '──' : ` ${right} ──`];
  const gap = width - ends.join('').length;
  return ends.join('─'.repeat(Math.max(2, gap)));
}

/** Wraps at spaces, and within a word only when it is longer than a row. */
function wrap(text: string, width: number): string[] {
  return clean(text)
    .split('\n')
    .flatMap(paragraph => {
      const rows = [''];
      for (const word of paragraph.split(' ').flatMap(whole => cut(whole, width))) {
        const row = rows.at(-1)!;
        if (row !== '' && row.length + 1 + word.length > width) rows.push(word);
        else rows[rows.length - 1] = row === '' ? word : `${row} ${word}`;
      }
      return rows;
    });
}

function cut(word: string, width: number): string[] {
  const letters = [...word];
  const pieces = Math.max(1, Math.ceil(letters.length / width));
  return Array.from({ length: pieces }, (_, piece) => letters.slice(piece * width, (piece + 1) * width).join(''));
}

/** Removes control and direction characters, so that a dialogue cannot control the terminal. Tabs become spaces. */
function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, character => (character === '\n' ? '\n' : ''));
}
