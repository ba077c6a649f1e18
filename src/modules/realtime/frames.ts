import type { EventType } from '../../kernel/domain-event.js';

/** Marks a frame without data. */
export const NO_DATA = 'no data';

/**
 * One type of frame. `agent` and `visitor` are the schema names, in the API reference, of its `data` or of a client
 * frame's fields; null means that the audience never receives or may not send it.
 */
export interface FrameDefinition {
  summary: string;
  agent: string | null;
  visitor: string | null;
}

interface ClientFrameDefinition extends FrameDefinition {
  /** The type of the frame that answers it. */
  answer?: keyof typeof EPHEMERAL_FRAMES;
}

/** Frames of durable, committed events. They have an `id` and a `cursor`. */
export const EVENT_FRAMES: { [T in EventType]: FrameDefinition } = {
  'message.created': both('A message was sent.', 'MessageCreatedData'),
  'message.updated': both('A message was edited.', 'MessageChangedData'),
  'message.deleted': both('A message was deleted.', 'MessageChangedData'),
  'conversation.created': {
    summary: 'A conversation was created. Sent before its first `message.created`.',
    agent: 'ConversationCreatedData',
    visitor: 'VisitorConversationCreatedData',
  },
  'conversation.updated': {
    summary: 'A conversation was updated.',
    agent: 'ConversationUpdatedData',
    visitor: 'VisitorConversationUpdatedData',
  },
  'conversation.read': both('Messages were read.', 'ConversationReadData'),
  'contact.created': internal('A contact was created.'),
  'contact.updated': agentsOnly('A contact was updated.', 'ContactView'),
  'contact.merged': agentsOnly('A contact was merged into another one.', 'ContactMergedData'),
  'contact.deleted': agentsOnly('A contact was erased. Delete all data that you store about it.', 'ContactDeletedData'),
  'contact.blocked': internal('A contact was blocked. Its sockets close.'),
  'contact.unblocked': internal('A contact was unblocked.'),
  'contact.erased': internal('The content of an erased contact was removed everywhere.'),
  'contact.exported': internal('The data of a contact was exported.'),
  'member.created': agentsOnly('A member was added.', 'MemberView'),
  'member.updated': agentsOnly('A member was updated.', 'MemberView'),
  'bot.created': agentsOnly('A bot was created.', 'BotView'),
  'bot.updated': agentsOnly('A bot was updated.', 'BotView'),
  'bot.deleted': agentsOnly('A bot was deleted.', 'BotView'),
  'bot.secret_rotated': internal('The secret of a bot was rotated.'),
  'channel.created': agentsOnly('A channel was created.', 'ChannelView'),
  'channel.updated': agentsOnly('A channel was updated.', 'ChannelView'),
  'channel.deleted': agentsOnly('A channel was deleted.', 'ChannelView'),
  'channel.tokens_refused': internal('Visitor tokens of a channel were revoked. Their sockets close.'),
  'channel.secret_rotated': internal('The identity secret of a channel was rotated.'),
  'canned_response.created': agentsOnly('A canned response was created.', 'CannedResponseView'),
  'canned_response.updated': agentsOnly('A canned response was updated.', 'CannedResponseView'),
  'canned_response.deleted': agentsOnly('A canned response was deleted.', 'CannedResponseView'),
  'workspace.created': internal('A workspace was created.'),
  'workspace.updated': agentsOnly('The workspace was updated.', 'WorkspaceView'),
  'api_key.created': internal('An API key was created.'),
  'api_key.revoked': internal('An API key was revoked.'),
  'api_key.refused': internal('A request with a revoked or expired API key was refused.'),
  'session.started': internal('A member signed in.'),
  'session.refused': internal('A sign-in or session was refused.'),
  'password.changed': internal('A member changed the password.'),
  'password.reset': internal('A member reset the password with a link from an e-mail.'),
  'password.reset_requested': internal('A password reset link was requested.'),
  'session.ended': internal('A session ended. Its sockets close.'),
  'invite.created': internal('An invite was created.'),
  'invite.renewed': internal('An invite was renewed. The old link is invalid.'),
  'invite.revoked': internal('An invite was revoked, manually or because the invited member was deactivated.'),
  'invite.accepted': internal('An invite was accepted.'),
  'sso_ticket.issued': internal('A one-time sign-in ticket for the dashboard was issued.'),
};

/** Ephemeral frames. They have no `id` and no `cursor` and are not stored. */
export const EPHEMERAL_FRAMES = {
  connected: both('The first frame on every socket.', 'ConnectedData'),
  pong: both('The answer to `ping`.', NO_DATA),
  resumed: both('All missed events were sent. Resume from `to` the next time.', 'ResumedData'),
  'sync.required': both(
    'Missed events cannot be replayed. Read the current state over REST; live frames follow.',
    'SyncRequiredData',
  ),
  'token.expiring': both(
    'The token expires soon. Send `auth` with a new token to keep the socket.',
    'TokenExpiringData',
  ),
  authenticated: both('The answer to `auth`, with the expiry of the new token.', 'AuthenticatedData'),
  typing: both('Somebody is typing. Expires after 8 s. Not sent to the sender.', 'TypingData'),
  'presence.updated': both(
    'The presence of a member or contact changed. Agents receive it for all members and for the contacts that they ' +
      'can see, and once for each when an inbox opens. Visitors receive it for the agents assigned to their ' +
      'unresolved conversations.',
    'PresenceData',
  ),
  'viewing.updated': agentsOnly(
    'The members who view a conversation changed. Also the answer to `viewing`.',
    'ViewingData',
  ),
  'typing.stop': both('Somebody stopped typing.', 'TypingData'),
} satisfies Record<string, FrameDefinition>;

/** Frames from clients. Their fields are at the top level, in `data` or in `payload`. */
export const CLIENT_FRAMES = {
  ping: { ...both('Request a `pong`.', NO_DATA), answer: 'pong' },
  typing: {
    summary: 'Show the typing indicator. Agents can send it only in conversations assigned to them.',
    agent: 'AgentTypingFields',
    visitor: 'TypingFields',
  },
  'typing.stop': { summary: 'Hide the typing indicator.', agent: 'AgentTypingFields', visitor: 'TypingFields' },
  auth: {
    ...both('Renew the token. A token of another principal or scope closes the socket (4502).', 'AuthFields'),
    answer: 'authenticated',
  },
  viewing: {
    ...agentsOnly('View a conversation, or stop viewing. Closing the socket stops it too.', 'ViewingFields'),
    answer: 'viewing.updated',
  },
  'presence.heartbeat': both('Keep the visitor or agent online.', NO_DATA),
} satisfies Record<string, ClientFrameDefinition>;

function both<S extends string>(summary: string, schemaName: S): FrameDefinition & { agent: S; visitor: S } {
  return { summary, agent: schemaName, visitor: schemaName };
}

function agentsOnly<S extends string>(summary: string, schemaName: S): FrameDefinition & { agent: S; visitor: null } {
  return { summary, agent: schemaName, visitor: null };
}

function internal(summary: string): FrameDefinition {
  return { summary, agent: null, visitor: null };
}
