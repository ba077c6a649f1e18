import type { EventType } from '../../kernel/domain-event.js';

/** In the place of a shape: a frame that says all by its type. */
export const NO_DATA = 'no data';

/**
 * One kind of frame: which shape its `data` has for agents and for visitors, or, from clients, its fields, by the name
 * under which the API reference has it; null for those who never get it, or may not send it.
 */
export interface FrameDefinition {
  summary: string;
  agent: string | null;
  visitor: string | null;
}

interface ClientFrameDefinition extends FrameDefinition {
  /** What answers it, where something does. */
  answer?: keyof typeof EPHEMERAL_FRAMES;
}

/** Frames of durable events carry `id` and `cursor`; each stands for an event that was committed. */
export const EVENT_FRAMES: { [T in EventType]: FrameDefinition } = {
  'message.created': both('Something was said.', 'MessageCreatedData'),
  'message.updated': both('A message was edited.', 'MessageChangedData'),
  'message.deleted': both('A message was unsent.', 'MessageChangedData'),
  'conversation.created': {
    summary: 'A conversation began; comes before its first `message.created`.',
    agent: 'ConversationCreatedData',
    visitor: 'VisitorConversationCreatedData',
  },
  'conversation.updated': {
    summary: 'Something about a conversation changed.',
    agent: 'ConversationUpdatedData',
    visitor: 'VisitorConversationUpdatedData',
  },
  'conversation.read': both('Messages were read.', 'ConversationReadData'),
  'contact.created': silent('A contact was made.'),
  'contact.updated': agents('A contact changed.', 'ContactView'),
  'contact.merged': agents('A contact has become part of another one.', 'ContactMergedData'),
  'contact.deleted': agents('A person has been erased; forget what you hold of it.', 'ContactDeletedData'),
  'contact.blocked': silent('A contact was shut out; its sockets close.'),
  'contact.unblocked': silent('A contact was let in again.'),
  'contact.erased': silent('The content of an erased person has been scrubbed everywhere.'),
  'contact.exported': silent('What is held of a person was handed out.'),
  'member.created': agents('A member joined.', 'MemberView'),
  'member.updated': agents('A member changed.', 'MemberView'),
  'bot.created': agents('A bot was made.', 'BotView'),
  'bot.updated': agents('A bot changed.', 'BotView'),
  'bot.deleted': agents('A bot was deleted.', 'BotView'),
  'bot.secret_rotated': silent('A bot got a new secret.'),
  'channel.created': agents('A channel was made.', 'ChannelView'),
  'channel.updated': agents('A channel changed.', 'ChannelView'),
  'channel.deleted': agents('A channel ended.', 'ChannelView'),
  'channel.tokens_refused': silent('A channel refuses tokens of its visitors; their sockets close.'),
  'channel.secret_rotated': silent('A channel got a new identity secret.'),
  'canned_response.created': agents('A canned response was made.', 'CannedResponseView'),
  'canned_response.updated': agents('A canned response changed.', 'CannedResponseView'),
  'canned_response.deleted': agents('A canned response was deleted.', 'CannedResponseView'),
  'workspace.created': silent('A workspace was registered.'),
  'workspace.updated': agents('The workspace changed.', 'WorkspaceView'),
  'api_key.created': silent('An API key was made.'),
  'api_key.revoked': silent('An API key was revoked.'),
  'api_key.refused': silent('Somebody still calls with an API key that is dead.'),
  'session.started': silent('Somebody signed in.'),
  'session.refused': silent('Somebody was turned away at a door.'),
  'password.changed': silent('A member changed its password.'),
  'password.reset': silent('A member set a new password with a mailed link.'),
  'password.reset_requested': silent('Somebody asked for a link that sets a new password.'),
  'session.ended': silent('A sign-in ended; its sockets close.'),
  'invite.created': silent('Somebody was invited.'),
  'invite.renewed': silent('An invite got a new link; the old one is dead.'),
  'invite.revoked': silent('An invite was revoked, by hand or with the deactivation of whom it was for.'),
  'invite.accepted': silent('An invite was accepted.'),
  'sso_ticket.issued': silent('A one-time ticket to the dashboard was handed out.'),
};

/** Frames of the moment: no `id`, no `cursor`, not kept. */
export const EPHEMERAL_FRAMES = {
  connected: both('The first frame on every socket.', 'ConnectedData'),
  pong: both('Answers `ping`.', NO_DATA),
  resumed: both('What was missed has been told; with `to` the client resumes the next time.', 'ResumedData'),
  'sync.required': both(
    'What was missed cannot be told: read the present state. Live frames follow.',
    'SyncRequiredData',
  ),
  'token.expiring': both('The token ends soon; `auth` with a fresh one keeps the socket.', 'TokenExpiringData'),
  authenticated: both('Answers `auth`: until when the fresh token holds.', 'AuthenticatedData'),
  typing: both('Somebody types; ends by itself after 8 s. Not sent to whoever types.', 'TypingData'),
  'presence.updated': both(
    'Somebody has come or gone. Agents are told of all members and of the contacts that they may see, and once more when ' +
      'an inbox opens; visitors of the agents to whom their unresolved conversations are assigned.',
    'PresenceData',
  ),
  'viewing.updated': agents('Who has a conversation before them has changed; also answers `viewing`.', 'ViewingData'),
  'typing.stop': both('Somebody has stopped typing.', 'TypingData'),
} satisfies Record<string, FrameDefinition>;

/** What clients may send. Fields stand at the top level, under `data` or under `payload`. */
export const CLIENT_FRAMES = {
  ping: { ...both('Answered with `pong`.', NO_DATA), answer: 'pong' },
  typing: {
    summary: 'Starts the typing indicator; agents where the conversation is assigned to them.',
    agent: 'AgentTypingFields',
    visitor: 'TypingFields',
  },
  'typing.stop': { summary: 'Ends it.', agent: 'AgentTypingFields', visitor: 'TypingFields' },
  auth: {
    ...both('A fresh token of the same principal and scope keeps the socket; another ends it (4502).', 'AuthFields'),
    answer: 'authenticated',
  },
  viewing: {
    ...agents('The agent has this conversation before it, null: none; ends with the socket.', 'ViewingFields'),
    answer: 'viewing.updated',
  },
  'presence.heartbeat': both('The visitor or agent is still there.', NO_DATA),
} satisfies Record<string, ClientFrameDefinition>;

function both<S extends string>(summary: string, shape: S): FrameDefinition & { agent: S; visitor: S } {
  return { summary, agent: shape, visitor: shape };
}

function agents<S extends string>(summary: string, shape: S): FrameDefinition & { agent: S; visitor: null } {
  return { summary, agent: shape, visitor: null };
}

function silent(summary: string): FrameDefinition {
  return { summary, agent: null, visitor: null };
}
