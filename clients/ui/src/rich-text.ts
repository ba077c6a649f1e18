/**
 * Parses a message into a tree that holds text only, so that nothing of a message can become markup. Knows the subset of
 * Markdown that agents and bots write: strong, emphasis, code, links, lists, quotes and headings.
 */
export type Inline = string | { kind: 'strong' | 'em'; children: Inline[] } | { kind: 'code'; text: string } | Link;

export interface Link {
  kind: 'link';
  href: string;
  text: string;
  /** Set where the text does not show the address that the link opens. */
  host?: string;
}

export type Block =
  | { kind: 'paragraph' | 'quote'; children: Inline[] }
  | { kind: 'list'; start?: number; items: Inline[][] }
  | { kind: 'code'; text: string };

/** Bounds and lookbehinds keep each match linear: a message has up to 20,000 characters of a stranger's choice. */
const URL_PATTERN = String.raw`https?://[^\s<>"]{1,2048}`;
const MAIL_PATTERN = String.raw`(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}`;
const PLAIN = new RegExp(`(${URL_PATTERN})|(${MAIL_PATTERN})`, 'g');
const MARKDOWN = new RegExp(
  `${PLAIN.source}|` +
    String.raw`\x60([^\x60\n]+)\x60|\[([^\]\n]{1,300})\]\((https?://[^\s()]{1,2048})\)|\*\*(?=\S)([^*\n]+)\*\*|(?<![\w*])([*_])(?=[^\s*_])([^*_\n]+)(?<=\S)\7(?!\w)`,
  'g',
);
/** Letters that turn the direction of text, and so could show a link as another one. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** @param markdown false for text of visitors, in which only addresses become links */
export function parseText(text: string, markdown: boolean): Block[] {
  if (!markdown) return [{ kind: 'paragraph', children: parseInline(text, false) }];
  const blocks: Block[] = [];
  const lines = text.split('\n');
  for (let line = 0; line < lines.length;) line = readBlock(lines, line, blocks);
  return blocks;
}

/** Adds the block that begins at a line. @returns the line after it */
function readBlock(lines: string[], from: number, blocks: Block[]): number {
  const first = lines[from] ?? '';
  if (first.startsWith('```')) return readCode(lines, from, blocks);
  for (const [kind, pattern] of PREFIXED) {
    if (!pattern.test(first)) continue;
    let end = from;
    while (end < lines.length && pattern.test(lines[end] ?? '')) end++;
    const content = lines.slice(from, end).map(line => line.replace(pattern, ''));
    blocks.push(prefixedBlock(kind, content, first));
    return end;
  }
  if (first.trim()) addParagraph(blocks, parseInline(first, true), from > 0 && !!lines[from - 1]?.trim());
  return from + 1;
}

const PREFIXED: [kind: 'list' | 'numbers' | 'quote' | 'heading', RegExp][] = [
  ['list', /^\s{0,6}[-*•]\s+/],
  ['numbers', /^\s{0,6}\d{1,4}[.)]\s+/],
  ['quote', /^>\s?/],
  ['heading', /^#{1,6}\s+/],
];

function prefixedBlock(kind: (typeof PREFIXED)[number][0], content: string[], first: string): Block {
  if (kind === 'quote') return { kind, children: parseInline(content.join('\n'), true) };
  if (kind === 'heading') {
    return { kind: 'paragraph', children: [{ kind: 'strong', children: parseInline(content.join('\n'), true) }] };
  }
  const items = content.map(line => parseInline(line, true));
  return kind === 'list' ? { kind, items } : { kind: 'list', start: parseInt(first, 10), items };
}

function readCode(lines: string[], from: number, blocks: Block[]): number {
  const end = lines.findIndex((line, index) => index > from && line.startsWith('```'));
  const last = end < 0 ? lines.length : end;
  blocks.push({ kind: 'code', text: lines.slice(from + 1, last).join('\n') });
  return last + 1;
}

/** Lines without an empty line between them stay one paragraph. */
function addParagraph(blocks: Block[], children: Inline[], continues: boolean): void {
  const last = blocks.at(-1);
  if (continues && last?.kind === 'paragraph') last.children.push('\n', ...children);
  else blocks.push({ kind: 'paragraph', children });
}

function parseInline(text: string, markdown: boolean): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  const pattern = markdown ? MARKDOWN : PLAIN;
  for (const match of text.matchAll(pattern)) {
    const [found, part] = readMatch(match);
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(part);
    end = match.index + found.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** @returns the text that was used, which may be shorter than the match, and the part that it becomes */
function readMatch(match: RegExpMatchArray): [string, Inline] {
  const [found, url, mail, code, label, target, strong, , em] = match;
  if (url) {
    const used = withoutPunctuation(url);
    return [used, link(used, used)];
  }
  if (mail) return [found, { kind: 'link', href: `mailto:${mail}`, text: mail }];
  if (code) return [found, { kind: 'code', text: code }];
  if (label && target) return [found, link(target, label)];
  if (strong) return [found, { kind: 'strong', children: parseInline(strong, true) }];
  return [found, { kind: 'em', children: [em ?? ''] }];
}

function link(address: string, label: string): Inline {
  const url = readUrl(address);
  // A name before the host hides the host: https://bank.example@evil.example
  if (!url || url.username || url.password) return label === address ? label : `${label} (${address})`;
  const text = label.replace(DIRECTION_MARKS, '');
  const shown: Link = { kind: 'link', href: url.href, text };
  return label === address ? shown : { ...shown, host: url.host };
}

/** A link in a sentence ends before the sentence's punctuation. A closing bracket belongs to it if it has opened one. */
function withoutPunctuation(url: string): string {
  const used = url.replace(/[.,;:!?'*_]+$/, '');
  return used.endsWith(')') && !used.includes('(') ? withoutPunctuation(used.slice(0, -1)) : used;
}

function readUrl(address: string): URL | undefined {
  try {
    const url = new URL(address);
    return /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}
