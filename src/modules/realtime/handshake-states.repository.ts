import { Injectable } from '@nestjs/common';
import { batchQuery, BatchLoader, one } from '../../platform/database/batch-loader.js';
import { SqlService } from '../../platform/database/sql.service.js';
import { isInChannels, isVisible, scopeColumnsOf } from '../../platform/database/visibility.js';
import type { PrincipalStates, SessionState, VisitorState } from '../auth/index.js';
import { SESSION_STATE_COLUMNS, VISITOR_STATE_COLUMNS } from '../auth/index.js';

/** The conversation of a handshake; all null if none is asked for, or the caller may not see it. */
type RoomColumns = { [Name in keyof HandshakeRoom]: HandshakeRoom[Name] | null };
type AgentState = SessionState & RoomColumns;
type VisitorStateInChannel = VisitorState & RoomColumns & { allowedOrigins: string[] };

/** A conversation that the caller of a handshake may see. */
export interface HandshakeRoom {
  roomId: string;
  roomChannelId: string;
  roomContactId: string;
}

type AgentKey = [workspaceId: string, sessionId: string, conversationId: string | null];
type VisitorKey = [workspaceId: string, contactId: string, channelId: string, conversationId: string | null];

const ROOM_COLUMNS = `
  conversation.id AS "roomId", conversation.channel_id AS "roomChannelId", conversation.contact_id AS "roomContactId"`;
/** The scope of an agent is what both its member and its session may see. */
const IS_VISIBLE_TO_AGENT = [
  isVisible(scopeColumnsOf('conversation'), {
    workspace: 'lookup.workspace_id',
    contact: 'NULL::uuid',
    channels: 'member.channel_ids',
  }),
  isInChannels('conversation.channel_id', 'session.channel_ids'),
].join(' AND ');
const IS_VISIBLE_TO_VISITOR = isVisible(scopeColumnsOf('conversation'), {
  workspace: 'lookup.workspace_id',
  contact: 'lookup.contact_id',
  channels: 'ARRAY[lookup.channel_id]',
});
const AGENT = batchQuery(
  { workspace_id: 'uuid', session_id: 'uuid', conversation_id: 'uuid' },
  from => `
    SELECT lookup.key_index, ${SESSION_STATE_COLUMNS}, ${ROOM_COLUMNS}
    FROM ${from}
      JOIN session ON session.workspace_id = lookup.workspace_id AND session.id = lookup.session_id
      JOIN member ON member.workspace_id = session.workspace_id AND member.id = session.member_id
      LEFT JOIN conversation ON conversation.id = lookup.conversation_id AND ${IS_VISIBLE_TO_AGENT}`,
);
const VISITOR = batchQuery(
  { workspace_id: 'uuid', contact_id: 'uuid', channel_id: 'uuid', conversation_id: 'uuid' },
  from => `
    SELECT lookup.key_index, ${VISITOR_STATE_COLUMNS}, channel.allowed_origins AS "allowedOrigins", ${ROOM_COLUMNS}
    FROM ${from}
      JOIN contact ON contact.workspace_id = lookup.workspace_id AND contact.id = lookup.contact_id
      JOIN channel ON channel.workspace_id = lookup.workspace_id AND channel.id = lookup.channel_id
      LEFT JOIN conversation ON conversation.id = lookup.conversation_id AND ${IS_VISIBLE_TO_VISITOR}`,
);

/** Reads who calls and the conversation that the socket is for in one statement, batched. */
@Injectable()
export class HandshakeStatesRepository {
  private readonly agents: BatchLoader<AgentKey, AgentState>;
  private readonly visitors: BatchLoader<VisitorKey, VisitorStateInChannel>;

  constructor(sql: SqlService) {
    this.agents = new BatchLoader(one(sql, ...AGENT));
    this.visitors = new BatchLoader(one(sql, ...VISITOR));
  }

  findAgent(...key: AgentKey): Promise<AgentState | undefined> {
    return this.agents.load(...key);
  }

  findVisitor(...key: VisitorKey): Promise<VisitorStateInChannel | undefined> {
    return this.visitors.load(...key);
  }
}

/** Reads the state of one handshake's caller, and keeps what was read with it. */
export class HandshakeStates implements PrincipalStates {
  /** null until the caller is known, if it asks for no conversation, and if it may not see the one it asks for. */
  room: HandshakeRoom | null = null;
  /** The allowed origins of the visitor's channel. */
  allowedOrigins: readonly string[] = [];

  constructor(
    private readonly states: HandshakeStatesRepository,
    private readonly conversationId: string | null,
  ) {}

  async findSessionState(workspaceId: string, sessionId: string): Promise<SessionState | undefined> {
    const state = await this.states.findAgent(workspaceId, sessionId, this.conversationId);
    this.room = roomOf(state);
    return state;
  }

  async findVisitorState(workspaceId: string, contactId: string, channelId: string): Promise<VisitorState | undefined> {
    const state = await this.states.findVisitor(workspaceId, contactId, channelId, this.conversationId);
    this.room = roomOf(state);
    this.allowedOrigins = state?.allowedOrigins ?? [];
    return state;
  }
}

function roomOf(state: RoomColumns | undefined): HandshakeRoom | null {
  return state?.roomId ? (state as HandshakeRoom) : null;
}
