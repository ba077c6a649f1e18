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

/** So many contacts an inbox is told of when it opens; of others, reading them tells. */
const SNAPSHOT_CONTACTS = 1_000;

const statusOf = (note: string | undefined): Presence =>
  note === undefined ? 'offline' : readMemberMetadata(note).availability;

/**
 * Tells of who comes and goes: each instance its own sockets, as the roster changes here. Members are told to all
 * agents, contacts to those who may see them, and to a visitor the agent of its conversation. Nobody is told of itself.
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

  /** Tells an inbox that has just opened who is there; whoever it is not told of is offline. */
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

  /** Tells a visitor how an agent of its conversations is there. */
  sendAssigneePresence(connection: SocketConnection, memberId: string): void {
    const status = this.members.getAvailabilityById(connection.principal.workspaceId, memberId);
    connection.send(presenceFrame('member', memberId, status, null), true);
  }

  private onChange(change: PresenceChange): void {
    if (!isId(change.who)) return;
    const ofMembers = memberPresenceGroups.workspaceOf(change.room);
    if (ofMembers !== null) return this.broadcastMember(ofMembers, change);
    const ofContacts = contactPresenceGroups.workspaceOf(change.room);
    if (ofContacts !== null) this.broadcastContact(ofContacts, change);
  }

  private broadcastMember(workspaceId: string, { who, before, after, at }: PresenceChange): void {
    const status = statusOf(after);
    if (status === statusOf(before)) return;
    const own = topics.member(who);
    this.broadcast([topics.agents(workspaceId)], presenceFrame('member', who, status, toWireTime(new Date(at))), own);
    // when its agents were last at work is not for visitors
    this.broadcast([topics.servedBy(who)], presenceFrame('member', who, status, null));
  }

  /** Of one who is there on, those are told who may see it from now on. */
  private broadcastContact(workspaceId: string, { who, before, after, at }: PresenceChange): void {
    const known = readContactMetadata(before);
    const here = before !== undefined && after !== undefined;
    const channels = [...new Set([...known, ...readContactMetadata(after)])].filter(id => !here || !known.includes(id));
    const rooms = [...(here ? [] : [topics.inbox(workspaceId)]), ...channels.map(topics.channel)];
    const status = after === undefined ? 'offline' : 'online';
    this.broadcast(rooms, presenceFrame('contact', who, status, toWireTime(new Date(at))));
  }

  private broadcast(rooms: readonly string[], frame: SerializedFrame, own?: string): void {
    const heard = rooms.filter(topic => this.hub.hasSubscribers(topic));
    if (heard.length === 0) return;
    const except = (connection: SocketConnection) => own !== undefined && connection.topics.has(own);
    this.hub.broadcast(heard, frame, { passing: true, except });
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
