import { isId } from '../../kernel/ids.js';
import type { Message } from './message.js';

/** Keys of `metadata` that only the service sets. */
const RESERVED = ['event', 'auto', 'mentions', 'draft_id', 'truncated'];

export const MAX_MENTIONS = 50;

/** Returns a reserved key of a request's metadata, if there is one. A note may set `mentions`. */
export function findReservedKey(metadata: Record<string, unknown>, isNote: boolean): string | undefined {
  return RESERVED.find(key => key in metadata && !(isNote && key === 'mentions'));
}

/** Reads the mentions of a request without duplicates. @returns null if they are not a list of ids */
export function parseMentions(mentions: unknown): string[] | null {
  if (!Array.isArray(mentions) || !mentions.every(isId)) return null;
  const ids = [...new Set(mentions)];
  return ids.length <= MAX_MENTIONS ? ids : null;
}

/** The members whom a stored message mentions. */
export function mentionsOf({ metadata }: Pick<Message, 'metadata'>): string[] {
  return parseMentions(metadata.mentions) ?? [];
}
