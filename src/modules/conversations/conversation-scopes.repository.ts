import { Injectable } from '@nestjs/common';
import type { Principal, VisitorPrincipal } from '../../kernel/principal.js';
import { batchQuery, BatchLoader, one } from '../../platform/database/batch-loader.js';
import { SqlService } from '../../platform/database/sql.service.js';
import { isVisible, scopeColumnsOf, visibilityOf } from '../../platform/database/visibility.js';
import type { ConversationScope } from './conversation.js';

/** The caller's visibility, and the conversation that it looks for. Channels are a list, which a key has as text. */
type ScopeKey = [workspaceId: string, contactId: string | null, channels: string | null, conversationId: string | null];

const SCOPE_KEY_COLUMNS = { workspace_id: 'uuid', contact_id: 'uuid', channels: 'text', id: 'uuid' };
const IS_VISIBLE = isVisible(scopeColumnsOf('conversation'), {
  workspace: 'lookup.workspace_id',
  contact: 'lookup.contact_id',
  channels: 'lookup.channels::uuid[]',
});
const SCOPE = batchQuery(
  SCOPE_KEY_COLUMNS,
  from => `
    SELECT lookup.key_index, conversation.id, conversation.workspace_id AS "workspaceId", channel_id AS "channelId",
      conversation.contact_id AS "contactId", assignee_id AS "assigneeId"
    FROM ${from} JOIN conversation ON conversation.id = lookup.id AND ${IS_VISIBLE}`,
);
/** Compares `contact_id` twice: no index can be entered by the condition in IS_VISIBLE. */
const ASSIGNEES = batchQuery(
  SCOPE_KEY_COLUMNS,
  from => `
    SELECT lookup.key_index, ARRAY(
      SELECT DISTINCT assignee_id FROM conversation
      WHERE ${IS_VISIBLE} AND conversation.contact_id = lookup.contact_id AND (lookup.id IS NULL OR conversation.id = lookup.id)
        AND status <> 'resolved' AND assignee_id IS NOT NULL
    ) AS ids
    FROM ${from}`,
);

/** Batched narrow reads of conversations for handshakes and socket frames. */
@Injectable()
export class ConversationScopesRepository {
  private readonly scopes: BatchLoader<ScopeKey, ConversationScope>;
  private readonly assignees: BatchLoader<ScopeKey, { ids: string[] }>;

  constructor(sql: SqlService) {
    this.scopes = new BatchLoader(one(sql, ...SCOPE));
    this.assignees = new BatchLoader(one(sql, ...ASSIGNEES));
  }

  /** @returns null if the caller may not see the conversation */
  async find(principal: Principal, id: string): Promise<ConversationScope | null> {
    return (await this.scopes.load(...scopeKeyOf(principal, id))) ?? null;
  }

  /** Assignees of the visitor's unresolved conversations. @param id only this conversation; null for all */
  async findAssigneeIds(principal: VisitorPrincipal, id: string | null): Promise<string[]> {
    return (await this.assignees.load(...scopeKeyOf(principal, id)))?.ids ?? [];
  }
}

function scopeKeyOf(principal: Principal, id: string | null): ScopeKey {
  const { workspaceId, contactId, channels } = visibilityOf(principal);
  return [workspaceId, contactId, channels && `{${channels.join(',')}}`, id];
}
