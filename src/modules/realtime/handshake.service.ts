import { Injectable } from '@nestjs/common';
import { InvalidToken, NotFound } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { AgentPrincipal, Principal, VisitorPrincipal } from '../../kernel/principal.js';
import { principalKey } from '../../kernel/principal.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import type { Admission, SocketConnection } from '../../platform/sockets/socket-connection.js';
import type { Handshake } from '../../platform/sockets/connection-authorizer.js';
import { ConnectionAuthorizer } from '../../platform/sockets/connection-authorizer.js';
import { DeactivatedMembersToken, MemberDeactivated, PassportAuthenticatorService } from '../auth/index.js';
import { ChannelsService } from '../channels/index.js';
import { BotFramesService } from './bot-frames.service.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import type { HandshakeRoom } from './handshake-states.repository.js';
import { HandshakeStates, HandshakeStatesRepository } from './handshake-states.repository.js';
import { ResumeService } from './resume.service.js';
import { PageViewersService } from './presence/page-viewers.service.js';
import { PresenceService } from './presence/presence.service.js';
import { AssigneePresenceService } from './presence/assignee-presence.service.js';
import { ViewingService } from './presence/viewing.service.js';
import { RescopingService } from './rescoping.service.js';
import { VISITOR_PATH } from './socket-routes.js';
import { inboxTopics, tokenTopics, topics } from './topics.js';

const INBOX = 'inbox';

/** Decides who may open a socket and which topics it joins. */
@Injectable()
export class HandshakeService extends ConnectionAuthorizer {
  constructor(
    private readonly authenticator: PassportAuthenticatorService,
    private readonly states: HandshakeStatesRepository,
    private readonly channels: ChannelsService,
    private readonly limiter: RateLimitService,
    private readonly resume: ResumeService,
    private readonly rescoping: RescopingService,
    private readonly presence: PresenceService,
    private readonly viewing: ViewingService,
    private readonly assigneePresence: AssigneePresenceService,
    private readonly pageViewers: PageViewersService,
    private readonly botFrames: BotFramesService,
  ) {
    super();
  }

  async admit({ path, query, request, network }: Handshake): Promise<Admission> {
    const kind = path === VISITOR_PATH ? 'visitor' : 'agent';
    const asked = kind === 'visitor' ? query.get('conv') || null : readRoom(query);
    const states = new HandshakeStates(this.states, asked && isId(asked) ? asked : null);
    const principal = await this.authenticate(query.get('token'), kind, network, states);
    await this.limiter.consume('handshake', principalKey(principal));
    if (principal.kind === 'visitor') this.channels.assertOriginAllowed(states.allowedOrigins, request.headers.origin);
    if (asked !== null && states.room === null) throw new NotFound();
    const after = readAfter(query);
    return principal.kind === 'visitor'
      ? admitVisitor(principal, states.room, after)
      : admitAgent(principal as AgentPrincipal, states.room, after);
  }

  /** Sends presence last, after the missed events. */
  async onOpen(connection: SocketConnection): Promise<void> {
    this.rescoping.applyMissedChange(connection);
    await this.resume.start(connection);
    const { conversationId: id, channelId, contactId } = connection.admission;
    if (id !== null) this.botFrames.sendDraft(connection, id);
    if (connection.principal.kind === 'visitor') {
      const { principal } = connection;
      if (id === null) this.botFrames.sendDraftsOfContact(connection, principal.contactId, principal.channelId);
      return this.assigneePresence.refresh(connection);
    }
    if (id !== null && channelId !== null && contactId !== null) {
      const { workspaceId } = connection.principal;
      return this.pageViewers.follow(connection, 'room', { id, workspaceId, channelId, contactId });
    }
    this.presence.sendSnapshot(connection);
    this.viewing.sendSnapshot(connection);
  }

  onTokenExpiring(connection: SocketConnection, seconds: number): void {
    connection.send(ephemeralFrame('token.expiring', { in_seconds: seconds }));
  }

  /** Maps a deactivated member's token to `MemberDeactivated`, which only sockets distinguish from a revoked token. */
  private async authenticate(
    token: string | null,
    kind: 'visitor' | 'agent',
    network: string,
    states: HandshakeStates,
  ): Promise<Principal> {
    try {
      return await this.authenticator.authenticate(token === '' ? null : token, [kind], states);
    } catch (error) {
      if (error instanceof DeactivatedMembersToken) throw new MemberDeactivated({ cause: error });
      if (error instanceof InvalidToken) await this.limiter.fail('credential_unknown', network);
      throw error;
    }
  }
}

/** Without a room, joins the contact's topic, which also carries conversations created later. */
function admitVisitor(principal: VisitorPrincipal, room: HandshakeRoom | null, after: string | null): Admission {
  const topic = room
    ? topics.visitorConversation(room.roomId)
    : topics.contact(principal.contactId, principal.channelId);
  return {
    ...admissionTo(room),
    principal,
    audience: 'visitor',
    room: room?.roomId ?? 'contact',
    after,
    topics: [topic, topics.channelVisitors(principal.channelId), ...tokenTopics(principal)],
    expiresAt: principal.expiresAt,
  };
}

function admitAgent(principal: AgentPrincipal, room: HandshakeRoom | null, after: string | null): Admission {
  const roomTopics = room ? [topics.conversation(room.roomId)] : inboxTopics(principal.workspaceId, principal.scope);
  return {
    ...admissionTo(room),
    principal,
    audience: 'agent',
    room: room?.roomId ?? INBOX,
    after,
    topics: [...roomTopics, topics.session(principal.sessionId), topics.member(principal.memberId)],
    expiresAt: principal.expiresAt,
  };
}

function admissionTo(room: HandshakeRoom | null): Pick<Admission, 'conversationId' | 'channelId' | 'contactId'> {
  return {
    conversationId: room?.roomId ?? null,
    channelId: room?.roomChannelId ?? null,
    contactId: room?.roomContactId ?? null,
  };
}

/** @returns null for the inbox */
function readRoom(query: URLSearchParams): string | null {
  const room = query.get('room');
  return room === INBOX ? null : room || null;
}

/** @returns null for an empty or missing `after` */
function readAfter(query: URLSearchParams): string | null {
  return query.get('after') || null;
}
