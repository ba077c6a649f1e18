import type { DomainErrorClass } from '../../kernel/domain-error.js';
import {
  AgentTokenRequired,
  HttpsRequired,
  InternalError,
  InvalidToken,
  MalformedRequest,
  NotFound,
  RateLimited,
  TokenExpired,
  TokenRevoked,
  Unauthenticated,
  Unavailable,
  VisitorTokenRequired,
} from '../../kernel/errors.js';
import { MemberDeactivated } from '../auth/index.js';
import { OriginNotAllowed } from '../channels/index.js';
import { ContactBlocked } from '../contacts/index.js';

export const VISITOR_PATH = '/ws/visitor';
export const AGENT_PATH = '/ws/agent';

/** A WebSocket endpoint, as documented for clients. */
export interface SocketRoute {
  path: string;
  summary: string;
  /** The query parameters; `token` is required. */
  query: Record<string, { description: string; id?: boolean; values?: readonly string[] }>;
  /** The errors of a refused handshake. */
  refusals: readonly DomainErrorClass[];
}

const SHARED_QUERY: SocketRoute['query'] = {
  after: { description: 'The last cursor that the client received. Events missed since are sent first.' },
  reject: {
    description:
      'Set it to `close` in browsers, which cannot read an HTTP response to an upgrade. A refused socket is then ' +
      'opened and closed at once with the corresponding close code.',
    values: ['close'],
  },
};

const SHARED_REFUSALS = [
  MalformedRequest,
  Unauthenticated,
  InvalidToken,
  TokenExpired,
  TokenRevoked,
  HttpsRequired,
  NotFound,
  RateLimited,
  InternalError,
  Unavailable,
];

export const SOCKET_ROUTES: Record<'visitor' | 'agent', SocketRoute> = {
  visitor: {
    path: VISITOR_PATH,
    summary: "A visitor's conversations on its channel.",
    query: {
      token: {
        description: 'A visitor token from `POST /v1/widget/session`. Sensitive, although it is part of the URL.',
      },
      conv: {
        description: "The id of one conversation. Default: all of the contact's, including later ones.",
        id: true,
      },
      ...SHARED_QUERY,
    },
    refusals: [...SHARED_REFUSALS, VisitorTokenRequired, ContactBlocked, OriginNotAllowed],
  },
  agent: {
    path: AGENT_PATH,
    summary: "An agent's inbox, or one conversation, within the agent's scope.",
    query: {
      token: { description: 'The access token of an agent. Sensitive, although it is part of the URL.' },
      room: { description: '`inbox` (default), or the id of one conversation.' },
      ...SHARED_QUERY,
    },
    refusals: [...SHARED_REFUSALS, AgentTokenRequired, MemberDeactivated],
  },
};
