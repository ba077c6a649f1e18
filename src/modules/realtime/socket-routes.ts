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

/** One of the two addresses of sockets, as its clients are to know it. */
export interface SocketRoute {
  path: string;
  summary: string;
  /** The parameters of its query, and what they are for; `token` is required. */
  query: Record<string, { description: string; id?: boolean; values?: readonly string[] }>;
  /** What can be answered instead of the upgrade. */
  refusals: readonly DomainErrorClass[];
}

const SHARED_QUERY: SocketRoute['query'] = {
  after: { description: 'The cursor that the client was told last: what it has missed since comes first.' },
  reject: {
    description:
      'For browsers, which cannot read an HTTP answer to an upgrade: a refusal is an upgrade that is closed at once, ' +
      'with the code that says the same.',
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
    summary: "What a visitor hears of its contact's conversations on its channel, and may say there.",
    query: {
      token: {
        description: 'The visitor token of `POST /v1/widget/session`; sensitive, though it stands in the address.',
      },
      conv: {
        description: "One conversation; without it all of the contact's, also those that begin later.",
        id: true,
      },
      ...SHARED_QUERY,
    },
    refusals: [...SHARED_REFUSALS, VisitorTokenRequired, ContactBlocked, OriginNotAllowed],
  },
  agent: {
    path: AGENT_PATH,
    summary: 'What an agent hears of the workspace, as far as its scope goes, and may say there.',
    query: {
      token: { description: 'The access token of an agent; sensitive, though it stands in the address.' },
      room: { description: '`inbox`, which is the default, or the id of one conversation.' },
      ...SHARED_QUERY,
    },
    refusals: [...SHARED_REFUSALS, AgentTokenRequired, MemberDeactivated],
  },
};
