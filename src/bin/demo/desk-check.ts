import type { ConversationView } from '@support-chat/sdk';
import type { DeskPlan } from './desk-plan.js';

/** How a conversation must be after its dialogue. */
export type ExpectedConversation = Pick<DeskPlan, 'tags' | 'rating'> & { assigneeId: string };

/** Describes how a conversation differs from the expected one; undefined when it does not. */
export function describeFault(
  { status, assignee_id, tags, csat }: ConversationView,
  expected: ExpectedConversation,
): string | undefined {
  if (status !== 'resolved') return `it is ${status}`;
  if (assignee_id !== expected.assigneeId) return `its assignee is ${assignee_id}`;
  if (keyOf(tags) !== keyOf(expected.tags)) return `its tags are “${tags.join(', ')}”`;
  const isRatedAsSent = csat?.score === expected.rating?.score && csat?.comment === expected.rating?.comment;
  return isRatedAsSent ? undefined : `its rating is ${JSON.stringify(csat)}`;
}

/** The service keeps the spelling and the order of tags that it has met before. */
function keyOf(tags: readonly string[]): string {
  return tags
    .map(tag => tag.toLowerCase())
    .sort()
    .join();
}
