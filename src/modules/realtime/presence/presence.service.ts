import { Injectable, OnModuleInit } from '@nestjs/common';
import { Clock, toWireTime } from '../../../kernel/clock.js';
import { isId } from '../../../kernel/ids.js';
import type { AgentPrincipal } from '../../../kernel/principal.js';
import type { Presence, PresenceSubject } from '../../../kernel/presence.js';
import type { SerializedFrame } from '../../../kernel/serialized-frame.js';
import type { PresenceChange } from '../../../platform/presence/presence-change.js';
import { PresenceStore } from '../../../platform/presence/presence-store.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../../platform/sockets/socket-hub.js';
import { ContactPresenceService, contactPresenceGroups, readContactMetadata } from '../../contacts/index.js';
import { MemberPresenceService, memberPresenceGroups, readMemberMetadata } from '../../members/index.js';
import { ephemeralFrame } from '../ephemeral-frames.js';
import { topics } from '../topics.js';

/** Contacts in the snapshot of an inbox. Others show their presence when they are read over REST. */
const SNAPSHOT_CONTACTS = 1_000;

const statusOf = (metadata: string | undefined): Presence =>
  metadata === undefined ? 'offline' : readMemberMetadata(metadata).availability;

/**
 * Sends presence changes to the sockets of this instance. All agents receive the presence of members; agents who can
 * see a contact receive its presence; visitors receive the presence of their assigned agents. No member receives its
 * own.
 */
@Injectable()
export class PresenceService implements OnModuleInit {
  constructor(
    private readonly store: PresenceStore,
    private readonly hub: SocketHub,
    private readonly clock: Clock,
    private readonly members: MemberPresenceService,
    private readonly contacts: ContactPresenceService,
  ) {}

  onModuleInit(): void {
    this.store.listen(change => this.onChange(change));
  }

  /** Sends an inbox that has just opened the presence of all who are not offline. */
  sendSnapshot(connection: SocketConnection): void {
    const principal = connection.principal as AgentPrincipal;
    const { workspaceId, memberId, scope } = principal;
    const now = toWireTime(this.clock.now());
    for (const { id, availability } of this.members.listAvailable(workspaceId)) {
      if (id !== memberId) connection.send(presenceFrame('member', id, availability, now), true);
    }
    for (const id of this.contacts.listOnline(workspaceId, scope, SNAPSHOT_CONTACTS)) {
      connection.send(presenceFrame('contact', id, 'online', now), true);
    }
  }

  /** Sends a visitor the presence of an agent assigned to one of its conversations. */
  sendAssigneePresence(connection: SocketConnection, memberId: string): void {
    const status = this.members.getAvailabilityById(connection.principal.workspaceId, memberId);
    connection.send(presenceFrame('member', memberId, status, null), true);
  }

  private onChange(change: PresenceChange): void {
    if (!isId(change.id)) return;
    const memberWorkspaceId = memberPresenceGroups.parseWorkspaceId(change.group);
    if (memberWorkspaceId !== null) return this.broadcastMember(memberWorkspaceId, change);
    const contactWorkspaceId = contactPresenceGroups.parseWorkspaceId(change.group);
    if (contactWorkspaceId !== null) this.broadcastContact(contactWorkspaceId, change);
  }

  private broadcastMember(workspaceId: string, { id, before, after, at }: PresenceChange): void {
    const status = statusOf(after);
    if (status === statusOf(before)) return;
    const ownSockets = topics.member(id);
    const frame = presenceFrame('member', id, status, toWireTime(new Date(at)));
    this.broadcast([topics.agents(workspaceId)], frame, ownSockets);
    // visitors must not learn when an agent was last seen
    this.broadcast([topics.servedBy(id)], presenceFrame('member', id, status, null));
  }

  /** For a contact that stays online, only agents of its new channels receive the frame. */
  private broadcastContact(workspaceId: string, { id, before, after, at }: PresenceChange): void {
    const known = readContactMetadata(before);
    const staysOnline = before !== undefined && after !== undefined;
    const channels = [...new Set([...known, ...readContactMetadata(after)])].filter(
      channel => !staysOnline || !known.includes(channel),
    );
    const audience = [...(staysOnline ? [] : [topics.inbox(workspaceId)]), ...channels.map(topics.channel)];
    const status = after === undefined ? 'offline' : 'online';
    this.broadcast(audience, presenceFrame('contact', id, status, toWireTime(new Date(at))));
  }

  /** @param exceptTopic its sockets get no frame */
  private broadcast(audience: readonly string[], frame: SerializedFrame, exceptTopic?: string): void {
    const subscribed = audience.filter(topic => this.hub.hasSubscribers(topic));
    if (subscribed.length === 0) return;
    const except = (connection: SocketConnection) => exceptTopic !== undefined && connection.topics.has(exceptTopic);
    this.hub.broadcast(subscribed, frame, { ephemeral: true, except });
  }
}

function presenceFrame(
  type: PresenceSubject['type'],
  id: string,
  status: Presence,
  lastSeenAt: string | null,
): SerializedFrame {
  return ephemeralFrame('presence.updated', { subject_type: type, subject_id: id, status, last_seen_at: lastSeenAt });
}
