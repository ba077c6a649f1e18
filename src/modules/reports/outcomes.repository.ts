import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Act } from './fact.js';

const FIND = statement(`
  SELECT workspace_id AS "workspaceId", conversation_id AS "conversationId", kind, message_id AS "messageId", act
  FROM report_outcome
  WHERE (workspace_id, conversation_id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))`);
const SAVE = statement(`
  INSERT INTO report_outcome (workspace_id, conversation_id, kind, message_id, act)
  SELECT workspace_id, conversation_id, kind, message_id, act FROM json_to_recordset($1) AS saved (
    workspace_id uuid, conversation_id uuid, kind text, message_id uuid, act jsonb)
  ON CONFLICT (workspace_id, conversation_id, kind) DO UPDATE SET message_id = excluded.message_id, act = excluded.act`);
const REMOVE = statement(`
  DELETE FROM report_outcome USING json_to_recordset($1) AS removed (workspace_id uuid, conversation_id uuid, kind text)
  WHERE report_outcome.workspace_id = removed.workspace_id
    AND report_outcome.conversation_id = removed.conversation_id AND report_outcome.kind = removed.kind`);

export interface ConversationKey {
  workspaceId: string;
  conversationId: string;
}

/** A conversation's last resolve or rating as it was counted. */
export interface Outcome extends ConversationKey {
  kind: 'resolved' | 'rated';
  /** The timeline entry of a resolve; null for a rating. */
  messageId: string | null;
  act: Act;
}

@Injectable()
export class OutcomesRepository {
  constructor(private readonly sql: SqlService) {}

  async find(conversations: readonly ConversationKey[]): Promise<Outcome[]> {
    if (conversations.length === 0) return [];
    const rows = await this.sql.rows<Outcome>(FIND, [
      conversations.map(({ workspaceId }) => workspaceId),
      conversations.map(({ conversationId }) => conversationId),
    ]);
    return rows.map(outcome => ({ ...outcome, act: { ...outcome.act, at: new Date(outcome.act.at) } }));
  }

  /** Replaces the outcomes of the same kind. */
  async save(outcomes: readonly Outcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    const rows = outcomes.map(outcome => ({ ...keyOf(outcome), message_id: outcome.messageId, act: outcome.act }));
    await this.sql.count(SAVE, [JSON.stringify(rows)]);
  }

  async remove(outcomes: readonly Outcome[]): Promise<void> {
    if (outcomes.length > 0) await this.sql.count(REMOVE, [JSON.stringify(outcomes.map(keyOf))]);
  }
}

function keyOf({ workspaceId, conversationId, kind }: Outcome) {
  return { workspace_id: workspaceId, conversation_id: conversationId, kind };
}
