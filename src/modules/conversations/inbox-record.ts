import { wireTime } from '../../platform/database/wire-time.js';

const fields = (...columns: string[]): string[] => columns.map(column => `'${column}', conversation.${column}`);
const times = (...columns: string[]): string[] =>
  columns.map(column => `'${column}', ${wireTime(`conversation.${column}`)}`);

/**
 * The view of `ConversationViewsService.toStaffView` in SQL. Parsing forty columns per row and mapping them
 * through the ORM was most of a page's cost. A test compares both views.
 */
export const RECORD = `json_build_object(${[
  ...fields('id', 'number', 'workspace_id', 'channel_id', 'contact_id', 'status', 'priority', 'assignee_id', 'bot_id'),
  ...fields('control', 'subject'),
  `'tags', CASE conversation.tag_ids WHEN '{}' THEN CAST('{}' AS text[]) ELSE tag_names(conversation.workspace_id, conversation.tag_ids) END`,
  ...fields('custom_attributes'),
  ...times('snoozed_until', 'waiting_since', 'first_response_at'),
  ...fields('last_message'),
  ...times('last_activity_at'),
  ...fields('last_seq'),
  `'unread', json_build_object('agents', conversation.unread_agents, 'contact', conversation.unread_contact)`,
  ...fields('agent_last_read_seq', 'contact_last_read_seq'),
  ...times('resolved_at'),
  ...fields('resolved_by', 'reopened_count', 'previous_conversation_id', 'csat', 'context', 'pre_chat', 'handoff'),
  ...fields('version'),
  ...times('created_at', 'updated_at'),
  `'contact', (
    SELECT json_build_object('id', id, 'name', name, 'email', email, 'avatar_url', avatar_url, 'verified', verified)
    FROM contact
    WHERE contact.workspace_id = conversation.workspace_id AND contact.id = conversation.contact_id)`,
].join(', ')})`;
