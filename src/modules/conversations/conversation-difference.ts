import type { MemberDisplay } from '../members/index.js';
import type { Conversation, ConversationRecord } from './conversation.js';
import type { ConversationUpdated } from './conversations.events.js';

/** Fields that every change sets, so events do not list them. */
const UNREPORTED_FIELDS = new Set<keyof ConversationRecord>(['version', 'updated_at']);

/** The reported fields that differ, with their values. */
export function difference(
  before: ConversationRecord,
  after: ConversationRecord,
): Record<string, { from: unknown; to: unknown }> {
  const changed = (Object.keys(after) as (keyof ConversationRecord)[]).filter(
    key => !UNREPORTED_FIELDS.has(key) && JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  return Object.fromEntries(changed.map(key => [key, { from: before[key], to: after[key] }]));
}

/** How visitors see the previous and the next assignee. */
export function toAssigneeChange(
  before: Conversation,
  after: Conversation,
  displays: Map<string, MemberDisplay>,
): ConversationUpdated['assignee'] {
  const display = ({ assigneeId }: Conversation) => displays.get(assigneeId ?? '') ?? null;
  return { from: display(before), to: display(after) };
}
