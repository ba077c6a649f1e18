import type { Conversation } from '../conversations/index.js';

export const COMMENT_CHARS = 2_000;
const OPEN_MS = 7 * 24 * 3_600_000;

/** True while a resolved conversation takes ratings. */
export function isRatable({ status, resolvedAt }: Conversation, now: Date): boolean {
  return status === 'resolved' && resolvedAt !== null && now.getTime() - resolvedAt.getTime() <= OPEN_MS;
}
