import type { Conversation } from '../conversations/index.js';

export const COMMENT_CHARS = 2_000;
const OPEN_MS = 7 * 24 * 3_600_000;

/** True while a resolved conversation takes ratings. */
export function isRatable({ status, resolvedAt }: Conversation, now: Date): boolean {
  return status === 'resolved' && resolvedAt !== null && now.getTime() - resolvedAt.getTime() <= OPEN_MS;
}

/** The member that the rating counts for: the assignee at the resolve, else who resolved; null if that was no member. */
export function ratedMemberOf({ beforeResolve, assigneeId, resolvedBy }: Conversation): string | null {
  const assignee = beforeResolve ? beforeResolve.assignee_id : assigneeId;
  return assignee ?? (resolvedBy?.type === 'member' ? resolvedBy.id : null);
}
