import type { Statement } from '../../platform/database/sql.service.js';
import { statement } from '../../platform/database/sql.service.js';

/** Rows that list conversations by a value. The names of values are SQL parameters; `:workspaceId` must be one too. */
export interface ConversationIndex {
  /** Condition: the conversation is listed. */
  lists(value: string): string;
  /** The same condition; PostgreSQL then reads the conversations from the list, because an array tells it that they are few. */
  listsFew(value: string): string;
  /** Counts the listed conversations. Takes the workspace, the value, and the number at which counting stops. */
  count: Statement;
}

/** @param matches condition on a row, given the name of the value */
function indexOf(table: string, matches: (value: string) => string): ConversationIndex {
  const rows = (workspace: string, value: string) =>
    `FROM ${table} AS listed WHERE listed.workspace_id = ${workspace} AND ${matches(value)}`;
  return {
    lists: value => `EXISTS (SELECT ${rows(':workspaceId', value)} AND listed.conversation_id = conversation.id)`,
    listsFew: value => `conversation.id = ANY(ARRAY(SELECT listed.conversation_id ${rows(':workspaceId', value)}))`,
    count: statement(`SELECT count(*)::int AS count FROM (SELECT ${rows('$1', '$2')} LIMIT $3) AS listed`),
  };
}

/** By several facets, of which a conversation has one. */
export const BY_FACETS = indexOf('conversation_facet', facets => `listed.facet = ANY(${facets})`);

/** By a member that takes part: it is assigned, has written or was mentioned, and has not left since. */
export const BY_PARTICIPANT = indexOf(
  'participant',
  member => `listed.member_id = ${member} AND listed.left_at IS NULL
    AND (listed.assigned_at IS NOT NULL OR listed.wrote_at IS NOT NULL OR listed.mentioned_seq IS NOT NULL)`,
);

/** By a member that was mentioned, even if it has left. */
export const BY_MENTIONED_MEMBER = indexOf(
  'participant',
  member => `listed.member_id = ${member} AND listed.mentioned_seq IS NOT NULL`,
);
