import type { Entry } from './entries.js';

/** Messages of a block, by `seq`. */
const BLOCK = 40;

/** Neighbouring lines of the timeline, which are shown or left out together. */
export interface Block {
  key: number;
  entries: readonly Entry[];
}

/**
 * Divides lines into blocks by `seq`, so that a block stays the same while older messages are added before it.
 * Days and the line of new messages stand in the block of the message after them.
 */
export function buildBlocks(entries: readonly Entry[]): Block[] {
  const blocks: { key: number; entries: Entry[] }[] = [];
  let waiting: Entry[] = [];
  for (const entry of entries) {
    waiting.push(entry);
    if (entry.kind === 'day' || entry.kind === 'new') continue;
    const key = Math.floor(entry.message.seq / BLOCK);
    const last = blocks.at(-1);
    if (last?.key === key) last.entries.push(...waiting);
    else blocks.push({ key, entries: waiting });
    waiting = [];
  }
  return blocks;
}

/** @returns true if both blocks show the same */
export function isSameBlock(a: Block, b: Block): boolean {
  return a.entries.length === b.entries.length && a.entries.every((entry, index) => isSame(entry, b.entries[index]));
}

function isSame(a: Entry, b: Entry | undefined): boolean {
  if (a.kind !== b?.kind || a.key !== b.key) return false;
  if (a.kind === 'event' && b.kind === 'event') return a.message === b.message;
  if (a.kind !== 'message' || b.kind !== 'message') return true;
  return a.message === b.message && a.isFirst === b.isFirst && a.isLast === b.isLast;
}
