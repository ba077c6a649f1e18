import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import type { RecordedEvent } from '../../../kernel/domain-event.js';
import type { Principal } from '../../../kernel/principal.js';
import type { PresenceSubject } from '../../../kernel/presence.js';
import { EventTailJob } from '../../../platform/events/event-tail.job.js';
import { PresenceStore } from '../../../platform/presence/presence-store.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../../platform/sockets/socket-hub.js';
import { toContactMetadata, contactPresenceGroups, readContactMetadata } from '../../contacts/index.js';
import { memberPresenceGroups, toMemberMetadata } from '../../members/index.js';
import { PresenceMetadataLoader } from './presence-metadata-loader.js';
import { LastSeenService } from './last-seen.service.js';

/** Sweeps per time to live. */
const SWEEPS_PER_TTL = 6;

/** A member or contact with sockets on this instance, or whose last socket closed a moment ago. */
interface TrackedSubject extends PresenceSubject {
  sockets: Set<SocketConnection>;
  /** The last activity of its closed sockets, in the time of `performance.now()`. */
  lastActivityAt: number;
  /** When it counts as disconnected, in the time of `performance.now()`; Infinity while it has sockets. */
  leavesAt: number;
  /** Its metadata in the presence store; null until it was loaded. */
  metadata: string | null;
  entered: boolean;
}

/**
 * Tracks the members and contacts with sockets on this instance. It enters them in the presence store with their first
 * socket and removes them a grace period after their last one closed.
 *
 * Heartbeats cost nothing: each socket stores its last activity, and one timer checks all of them.
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
    private readonly tail: EventTailJob,
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
    this.tail.listen(event => this.applyEvent(event));
  }

  onApplicationBootstrap(): void {
    const soon = Math.max(20, Math.min(1_000, this.graceMs / 5, this.ttlMs / SWEEPS_PER_TTL));
    this.timers.push(setInterval(() => this.expireLeaving(), soon).unref());
    this.timers.push(setInterval(() => this.sweep(), this.ttlMs / SWEEPS_PER_TTL).unref());
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private onConnect(connection: SocketConnection): void {
    const subject = subjectOf(connection.principal);
    if (!subject) return;
    const tracked = this.tracked.get(subject.id) ?? newTrackedSubject(subject);
    this.tracked.set(subject.id, tracked);
    tracked.sockets.add(connection);
    tracked.leavesAt = Infinity;
    this.leaving.delete(tracked);
    if (connection.principal.kind === 'visitor') this.addChannel(tracked, connection.principal.channelId);
    if (!tracked.entered) this.loadAndEnter(tracked);
  }

  /** Starts the grace period, which is shorter for a subject that was silent before. */
  private onDisconnect(connection: SocketConnection): void {
    const tracked = this.tracked.get(subjectOf(connection.principal)?.id ?? '');
    if (!tracked?.sockets.delete(connection)) return;
    tracked.lastActivityAt = Math.max(tracked.lastActivityAt, connection.lastActivityAt);
    if (tracked.sockets.size > 0) return;
    tracked.leavesAt = Math.min(performance.now() + this.graceMs, tracked.lastActivityAt + this.ttlMs);
    this.leaving.add(tracked);
  }

  /** Expires subjects whose grace period has ended. */
  private expireLeaving(): void {
    const now = performance.now();
    for (const tracked of this.leaving) if (tracked.leavesAt <= now) this.expire(tracked);
  }

  private expire(tracked: TrackedSubject): void {
    this.leaving.delete(tracked);
    this.tracked.delete(tracked.id);
    this.leave(tracked);
    this.lastSeen.record(tracked, lastActivityOf(tracked));
  }

  /** Removes subjects with open but silent sockets, and retries subjects whose metadata could not be loaded. */
  private sweep(): void {
    const now = performance.now();
    for (const tracked of this.tracked.values()) {
      const lastSeenAt = lastActivityOf(tracked);
      if (now - lastSeenAt > this.ttlMs) this.leave(tracked);
      else if (!tracked.entered && tracked.sockets.size > 0) this.loadAndEnter(tracked);
      if (tracked.sockets.size > 0) this.lastSeen.record(tracked, lastSeenAt);
    }
  }

  private loadAndEnter(tracked: TrackedSubject): void {
    if (tracked.metadata !== null) return this.enter(tracked, tracked.metadata);
    this.metadataLoader
      .load(tracked)
      .then(metadata => {
        if (metadata === null || this.tracked.get(tracked.id) !== tracked) return;
        // metadata from an event that arrived meanwhile is newer
        this.enter(tracked, tracked.metadata ?? metadata);
      })
      .catch((error: unknown) => this.logger.warn(`presence metadata cannot be loaded: ${String(error)}`));
  }

  private enter(tracked: TrackedSubject, metadata: string): void {
    tracked.metadata = metadata;
    tracked.entered = true;
    this.store.enter(groupOf(tracked), tracked.id, metadata);
  }

  private leave(tracked: TrackedSubject): void {
    if (!tracked.entered) return;
    tracked.entered = false;
    this.store.leave(groupOf(tracked), tracked.id, this.lastSeen.toDate(lastActivityOf(tracked)).getTime());
  }

  /** Updates the metadata of tracked subjects. */
  private applyEvent(event: RecordedEvent): void {
    if (event.type === 'member.updated') this.applyMemberUpdate(event as RecordedEvent<'member.updated'>);
    if (event.type !== 'conversation.created' || !event.contactId || !event.channelId) return;
    const contact = this.tracked.get(event.contactId);
    if (contact) this.addChannel(contact, event.channelId);
  }

  private applyMemberUpdate({ payload: { member, changed } }: RecordedEvent<'member.updated'>): void {
    const tracked = this.tracked.get(member.id);
    if (!tracked) return;
    if (member.status !== 'active') return this.expire(tracked);
    if (!changed.includes('availability') && !changed.includes('channel_ids')) return;
    const metadata = toMemberMetadata({ availability: member.availability, channels: member.channel_ids });
    if (tracked.entered) this.enter(tracked, metadata);
    else tracked.metadata = metadata;
  }

  private addChannel(tracked: TrackedSubject, channelId: string): void {
    if (tracked.metadata === null) return;
    const channels = readContactMetadata(tracked.metadata);
    if (channels.includes(channelId)) return;
    tracked.metadata = toContactMetadata([...channels, channelId]);
    if (tracked.entered) this.enter(tracked, tracked.metadata);
  }
}

function newTrackedSubject(subject: PresenceSubject): TrackedSubject {
  return {
    ...subject,
    sockets: new Set(),
    lastActivityAt: -Infinity,
    leavesAt: Infinity,
    metadata: null,
    entered: false,
  };
}

function lastActivityOf({ sockets, lastActivityAt }: TrackedSubject): number {
  let latest = lastActivityAt;
  for (const socket of sockets) latest = Math.max(latest, socket.lastActivityAt);
  return latest;
}

function groupOf({ type, workspaceId }: PresenceSubject): string {
  return (type === 'member' ? memberPresenceGroups : contactPresenceGroups).groupFor(workspaceId);
}

function subjectOf(principal: Principal): PresenceSubject | null {
  const { workspaceId } = principal;
  if (principal.kind === 'agent') return { type: 'member', id: principal.memberId, workspaceId };
  return principal.kind === 'visitor' ? { type: 'contact', id: principal.contactId, workspaceId } : null;
}
