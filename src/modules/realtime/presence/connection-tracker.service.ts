import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import type { RecordedEvent } from '../../../kernel/domain-event.js';
import type { Principal } from '../../../kernel/principal.js';
import type { PresenceSubject } from '../../../kernel/presence.js';
import { EventTail } from '../../../platform/events/event-tail.js';
import { PresenceStore } from '../../../platform/presence/presence-store.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../../platform/sockets/socket-hub.js';
import { toContactMetadata, contactPresenceGroups, readContactMetadata } from '../../contacts/index.js';
import { memberPresenceGroups, toMemberMetadata } from '../../members/index.js';
import { PresenceMetadataLoader } from './presence-metadata-loader.js';
import { LastSeenService } from './last-seen.service.js';

/** Looks at everybody in a time to live. */
const SWEEPS = 6;

/** Somebody with sockets on this instance, or with none for a little while. */
interface TrackedSubject extends PresenceSubject {
  sockets: Set<SocketConnection>;
  /** Of the sockets that have closed, in the time of `performance.now()`. */
  heardAt: number;
  /** When it counts as gone; Infinity while it has sockets. */
  leavesAt: number;
  /** What the roster says of it; null until that has been read. */
  metadata: string | null;
  entered: boolean;
}

/**
 * Who has sockets on this instance: enters them in the roster with their first, takes them out a while after their
 * last. Heartbeats cost nothing: each socket knows when it was last heard, and one timer for all looks at that.
 */
@Injectable()
export class ConnectionTrackerService implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('presence');
  private readonly tracked = new Map<string, TrackedSubject>();
  private readonly leaving = new Set<TrackedSubject>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly ttlMs: number;
  private readonly graceMs: number;

  constructor(
    config: Config,
    private readonly hub: SocketHub,
    private readonly store: PresenceStore,
    private readonly tail: EventTail,
    private readonly metadataLoader: PresenceMetadataLoader,
    private readonly lastSeen: LastSeenService,
  ) {
    this.ttlMs = config.presenceTtlMs;
    this.graceMs = config.presenceGraceMs;
  }

  onModuleInit(): void {
    this.hub.observe({
      joined: connection => this.onConnect(connection),
      left: connection => this.onDisconnect(connection),
    });
    this.tail.listen(event => this.follow(event));
  }

  onApplicationBootstrap(): void {
    const soon = Math.max(20, Math.min(1_000, this.graceMs / 5, this.ttlMs / SWEEPS));
    this.timers.push(setInterval(() => this.expireLeaving(), soon).unref());
    this.timers.push(setInterval(() => this.sweep(), this.ttlMs / SWEEPS).unref());
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private onConnect(connection: SocketConnection): void {
    const subject = subjectOf(connection.principal);
    if (!subject) return;
    const attendee = this.tracked.get(subject.id) ?? newcomer(subject);
    this.tracked.set(subject.id, attendee);
    attendee.sockets.add(connection);
    attendee.leavesAt = Infinity;
    this.leaving.delete(attendee);
    if (connection.principal.kind === 'visitor') this.addChannel(attendee, connection.principal.channelId);
    if (!attendee.entered) this.loadAndEnter(attendee);
  }

  /** Whoever has been silent for long is not waited for as long. */
  private onDisconnect(connection: SocketConnection): void {
    const attendee = this.tracked.get(subjectOf(connection.principal)?.id ?? '');
    if (!attendee?.sockets.delete(connection)) return;
    attendee.heardAt = Math.max(attendee.heardAt, connection.lastActivityAt);
    if (attendee.sockets.size > 0) return;
    attendee.leavesAt = Math.min(performance.now() + this.graceMs, attendee.heardAt + this.ttlMs);
    this.leaving.add(attendee);
  }

  /** Takes out those whose time has come. */
  private expireLeaving(): void {
    const now = performance.now();
    for (const attendee of this.leaving) if (attendee.leavesAt <= now) this.expire(attendee);
  }

  private expire(attendee: TrackedSubject): void {
    this.leaving.delete(attendee);
    this.tracked.delete(attendee.id);
    this.takeOut(attendee);
    this.lastSeen.record(attendee, heardAt(attendee));
  }

  /** Those who keep a socket open and say nothing are not there; those who could not be read come in late. */
  private sweep(): void {
    const now = performance.now();
    for (const attendee of this.tracked.values()) {
      const heard = heardAt(attendee);
      if (now - heard > this.ttlMs) this.takeOut(attendee);
      else if (!attendee.entered && attendee.sockets.size > 0) this.loadAndEnter(attendee);
      if (attendee.sockets.size > 0) this.lastSeen.record(attendee, heard);
    }
  }

  private loadAndEnter(attendee: TrackedSubject): void {
    if (attendee.metadata !== null) return this.enter(attendee, attendee.metadata);
    this.metadataLoader
      .load(attendee)
      .then(note => {
        if (note === null || this.tracked.get(attendee.id) !== attendee) return;
        // what has been heard of it meanwhile is newer
        this.enter(attendee, attendee.metadata ?? note);
      })
      .catch((error: unknown) => this.logger.warn(`somebody who has come in cannot be read: ${String(error)}`));
  }

  private enter(attendee: TrackedSubject, note: string): void {
    attendee.metadata = note;
    attendee.entered = true;
    this.store.enter(roomOf(attendee), attendee.id, note);
  }

  private takeOut(attendee: TrackedSubject): void {
    if (!attendee.entered) return;
    attendee.entered = false;
    this.store.leave(roomOf(attendee), attendee.id, this.lastSeen.timeOf(heardAt(attendee)).getTime());
  }

  /** What has changed about those who are here. */
  private follow(event: RecordedEvent): void {
    if (event.type === 'member.updated') this.followMember(event as RecordedEvent<'member.updated'>);
    if (event.type !== 'conversation.created' || !event.contactId || !event.channelId) return;
    const contact = this.tracked.get(event.contactId);
    if (contact) this.addChannel(contact, event.channelId);
  }

  private followMember({ payload: { member, changed } }: RecordedEvent<'member.updated'>): void {
    const attendee = this.tracked.get(member.id);
    if (!attendee) return;
    if (member.status !== 'active') return this.expire(attendee);
    if (!changed.includes('availability') && !changed.includes('channel_ids')) return;
    const note = toMemberMetadata({ availability: member.availability, channels: member.channel_ids });
    if (attendee.entered) this.enter(attendee, note);
    else attendee.metadata = note;
  }

  private addChannel(attendee: TrackedSubject, channelId: string): void {
    if (attendee.metadata === null) return;
    const channels = readContactMetadata(attendee.metadata);
    if (channels.includes(channelId)) return;
    attendee.metadata = toContactMetadata([...channels, channelId]);
    if (attendee.entered) this.enter(attendee, attendee.metadata);
  }
}

function newcomer(subject: PresenceSubject): TrackedSubject {
  return { ...subject, sockets: new Set(), heardAt: -Infinity, leavesAt: Infinity, metadata: null, entered: false };
}

function heardAt({ sockets, heardAt }: TrackedSubject): number {
  let latest = heardAt;
  for (const socket of sockets) latest = Math.max(latest, socket.lastActivityAt);
  return latest;
}

function roomOf({ type, workspaceId }: PresenceSubject): string {
  return (type === 'member' ? memberPresenceGroups : contactPresenceGroups).of(workspaceId);
}

function subjectOf(principal: Principal): PresenceSubject | null {
  const { workspaceId } = principal;
  if (principal.kind === 'agent') return { type: 'member', id: principal.memberId, workspaceId };
  return principal.kind === 'visitor' ? { type: 'contact', id: principal.contactId, workspaceId } : null;
}
