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
