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

/** Frames of the moment: no `id`, no `cursor`, not kept. */
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
  'message.draft': both(
    'A bot writes a message. At most 5 a second. Only sockets in the room of the conversation, or that sent `viewing` ' +
      'for it, and its visitor receive this frame; they also receive the current draft when they join.',
    'MessageDraftData',
  ),
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
  'visitor.page': agentsOnly(
    'The page where the visitor of a conversation is changed. Only sockets in the room of the conversation, or that ' +
      'sent `viewing` for it, receive this frame; they also receive the current page when they join.',
    'VisitorPageData',
  ),
  'typing.stop': both('Somebody stopped typing.', 'TypingData'),
  'notification.created': agentsOnly(
    'The member was notified. Sent to its own sockets whose scope has the conversation.',
    'NotificationCreatedData',
  ),
  'notification.read': agentsOnly(
    "The member's notifications were read, or deleted because their note was unsent. Sent to its own sockets.",
    'NotificationReadData',
  ),
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
  page: visitorsOnly('Report the page that the visitor sees. More than one in two seconds is ignored.', 'PageFields'),
  'presence.heartbeat': both('Keep the visitor or agent online.', NO_DATA),
} satisfies Record<string, ClientFrameDefinition>;

function both<S extends string>(summary: string, schemaName: S): FrameDefinition & { agent: S; visitor: S } {
  return { summary, agent: schemaName, visitor: schemaName };
}

function visitorsOnly<S extends string>(summary: string, schemaName: S): FrameDefinition & { agent: null; visitor: S } {
  return { summary, agent: null, visitor: schemaName };
}

function agentsOnly<S extends string>(summary: string, schemaName: S): FrameDefinition & { agent: S; visitor: null } {
  return { summary, agent: schemaName, visitor: null };
}
