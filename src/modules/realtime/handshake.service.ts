import { Injectable } from '@nestjs/common';
import { InvalidToken, NotFound } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { AgentPrincipal, Principal, VisitorPrincipal } from '../../kernel/principal.js';
import { principalKey } from '../../kernel/principal.js';
import { Authenticator } from '../../platform/access/authenticator.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import type { Admission, SocketConnection } from '../../platform/sockets/socket-connection.js';
import type { Handshake } from '../../platform/sockets/connection-authorizer.js';
import { ConnectionAuthorizer } from '../../platform/sockets/connection-authorizer.js';
import { DeactivatedMembersToken, MemberDeactivated } from '../auth/index.js';
import { ChannelsService } from '../channels/index.js';
import type { ConversationScope } from '../conversations/index.js';
import { ConversationsService } from '../conversations/index.js';
import { BotFramesService } from './bot-frames.service.js';
import { ephemeralFrame } from './ephemeral-frames.js';
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
    private readonly authenticator: Authenticator,
    private readonly conversations: ConversationsService,
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
    const principal = await this.authenticate(query.get('token'), kind, network);
    await this.limiter.consume('handshake', principalKey(principal));
    return principal.kind === 'visitor'
      ? this.admitVisitor(principal, query, request.headers.origin)
      : this.admitAgent(principal as AgentPrincipal, query);
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
  private async authenticate(token: string | null, kind: 'visitor' | 'agent', network: string): Promise<Principal> {
    try {
      return await this.authenticator.authenticate(token === '' ? null : token, [kind]);
    } catch (error) {
      if (error instanceof DeactivatedMembersToken) throw new MemberDeactivated({ cause: error });
      if (error instanceof InvalidToken) await this.limiter.fail('credential_unknown', network);
      throw error;
    }
  }

  /** Without `conv`, joins the contact's topic, which also carries conversations created later. */
  private async admitVisitor(
    principal: VisitorPrincipal,
    query: URLSearchParams,
    origin: string | undefined,
  ): Promise<Admission> {
    const allowed = await this.channels.findAllowedOrigins(principal.workspaceId, principal.channelId);
    if (!allowed) throw new NotFound();
    this.channels.assertOriginAllowed(allowed, origin);
    const conversationId = query.get('conv');
    const conversation = conversationId ? await this.findVisible(principal, conversationId) : null;
    const topic = conversation
      ? topics.visitorConversation(conversation.id)
      : topics.contact(principal.contactId, principal.channelId);
    return {
      principal,
      audience: 'visitor',
      room: conversation?.id ?? 'contact',
      conversationId: conversation?.id ?? null,
      channelId: conversation?.channelId ?? null,
      contactId: conversation?.contactId ?? null,
      after: readAfter(query),
      topics: [topic, topics.channelVisitors(principal.channelId), ...tokenTopics(principal)],
      expiresAt: principal.expiresAt,
    };
  }

  private async admitAgent(principal: AgentPrincipal, query: URLSearchParams): Promise<Admission> {
    const room = query.get('room');
    const inbox = room === null || room === '' || room === INBOX;
    const conversation = inbox ? null : await this.findVisible(principal, room);
    const roomTopics = conversation
      ? [topics.conversation(conversation.id)]
      : inboxTopics(principal.workspaceId, principal.scope);
    return {
      principal,
      audience: 'agent',
      room: conversation?.id ?? INBOX,
      conversationId: conversation?.id ?? null,
      channelId: conversation?.channelId ?? null,
      contactId: conversation?.contactId ?? null,
      after: readAfter(query),
      topics: [...roomTopics, topics.session(principal.sessionId), topics.member(principal.memberId)],
      expiresAt: principal.expiresAt,
    };
  }

  /** @throws NotFound for a missing conversation and for one that the caller may not see */
  private async findVisible(principal: Principal, conversationId: string): Promise<ConversationScope> {
    const conversation = isId(conversationId) ? await this.conversations.findScope(principal, conversationId) : null;
    if (!conversation) throw new NotFound();
    return conversation;
  }
}

/** @returns null for an empty or missing `after` */
function readAfter(query: URLSearchParams): string | null {
  return query.get('after') || null;
}
