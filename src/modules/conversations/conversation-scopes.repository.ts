import { Injectable } from '@nestjs/common';
import type { Principal, VisitorPrincipal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import { batchQuery, BatchLoader, one } from '../../platform/database/batch-loader.js';
import { Sql } from '../../platform/database/sql.js';
import type { ConversationScope } from './conversation.js';

/** Who asks, as `visibleTo` would have it: a contact where it is a visitor, channels where it does not see all. */
type ScopeKey = [workspaceId: string, contactId: string | null, channels: string | null, conversationId: string | null];

const SCOPE_KEY_COLUMNS = { workspace_id: 'uuid', contact_id: 'uuid', channels: 'text', id: 'uuid' };
const IS_VISIBLE = `
  conversation.workspace_id = asked.workspace_id
  AND (asked.contact_id IS NULL OR conversation.contact_id = asked.contact_id)
  AND (asked.channels IS NULL OR conversation.channel_id = ANY(asked.channels::uuid[]))`;
const SCOPE = batchQuery(
  SCOPE_KEY_COLUMNS,
  from => `
    SELECT asked.place, conversation.id, conversation.workspace_id AS "workspaceId", channel_id AS "channelId",
      conversation.contact_id AS "contactId", assignee_id AS "assigneeId"
    FROM ${from} JOIN conversation ON conversation.id = asked.id AND ${IS_VISIBLE}`,
);
/** That the contact is the asker's is said twice: the first time in a way that no index can be entered by. */
const ASSIGNEES = batchQuery(
  SCOPE_KEY_COLUMNS,
  from => `
    SELECT asked.place, ARRAY(
      SELECT DISTINCT assignee_id FROM conversation
      WHERE ${IS_VISIBLE} AND conversation.contact_id = asked.contact_id AND (asked.id IS NULL OR conversation.id = asked.id)
        AND status <> 'resolved' AND assignee_id IS NOT NULL
    ) AS ids
    FROM ${from}`,
);

/** What handshakes and frames ask of conversations, in narrow reads, and one for all who come at once. */
@Injectable()
export class ConversationScopesRepository {
  private readonly scopes: BatchLoader<ScopeKey, ConversationScope>;
  private readonly assignees: BatchLoader<ScopeKey, { ids: string[] }>;

  constructor(sql: Sql) {
    this.scopes = new BatchLoader(one(sql, ...SCOPE));
    this.assignees = new BatchLoader(one(sql, ...ASSIGNEES));
  }

  /** @returns null where there is none that the caller may see */
  async find(principal: Principal, id: string): Promise<ConversationScope | null> {
    return (await this.scopes.load(...scopeKeyOf(principal, id))) ?? null;
  }

  /** The members to whom the visitor's unresolved ones are assigned. @param id of the one that is asked for; null: all */
  async findAssigneeIds(principal: VisitorPrincipal, id: string | null): Promise<string[]> {
    return (await this.assignees.load(...scopeKeyOf(principal, id)))?.ids ?? [];
  }
}

function scopeKeyOf(principal: Principal, id: string | null): ScopeKey {
  const scope = scopeOf(principal);
  return [
    principal.workspaceId,
    principal.kind === 'visitor' ? principal.contactId : null,
    scope && `{${scope.join(',')}}`,
    id,
  ];
}
