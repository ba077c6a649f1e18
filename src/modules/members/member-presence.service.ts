import { Injectable } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { covers } from '../../kernel/channel-scope.js';
import { isId } from '../../kernel/ids.js';
import { PresenceStore } from '../../platform/presence/presence-store.js';
import { PresenceGroups } from '../../platform/presence/presence-groups.js';
import type { Availability, Member, MemberRecord } from './member.js';
import { AVAILABILITIES, toMemberRecord } from './member.js';

export const memberPresenceGroups = new PresenceGroups('members');

/** Presence metadata of a connected member: the availability it has set and the channels it sees. */
export interface MemberPresenceMetadata {
  availability: Availability;
  channels: ChannelScope;
}

/** Availability of members: as they have set it while connected, otherwise `offline`. */
@Injectable()
export class MemberPresenceService {
  constructor(private readonly store: PresenceStore) {}

  /**
   * Availability shown to others. The row's availability is newer than the presence metadata, so presence only decides
   * between connected and offline.
   */
  getAvailability({
    id,
    workspaceId,
    status,
    availability,
  }: Pick<Member, 'id' | 'workspaceId' | 'status' | 'availability'>): Availability {
    const connected =
      status === 'active' && this.store.findMetadata(memberPresenceGroups.groupFor(workspaceId), id) !== undefined;
    return connected ? availability : 'offline';
  }

  /** Like `getAvailability`, from presence metadata alone. */
  getAvailabilityById(workspaceId: string, id: string): Availability {
    const metadata = this.store.findMetadata(memberPresenceGroups.groupFor(workspaceId), id);
    return metadata === undefined ? 'offline' : readMemberMetadata(metadata).availability;
  }

  /** Reports whether this service knows the connections to all instances; without Redis each knows its own. */
  get isShared(): boolean {
    return this.store.kind === 'redis';
  }

  /** Tells whether the member has an open socket, whatever availability it has set. */
  isConnected(workspaceId: string, id: string): boolean {
    return this.store.findMetadata(memberPresenceGroups.groupFor(workspaceId), id) !== undefined;
  }

  /** Ids of all connected members, whatever their availability. */
  listConnected(workspaceId: string): string[] {
    return [...this.store.listPresent(memberPresenceGroups.groupFor(workspaceId)).keys()].filter(isId);
  }

  /** Calls the listener with the workspace of each member who connects. */
  onConnect(listener: (workspaceId: string) => void): void {
    this.store.listen(({ group, before, after }) => {
      const workspaceId = memberPresenceGroups.parseWorkspaceId(group);
      if (workspaceId !== null && before === undefined && after !== undefined) listener(workspaceId);
    });
  }

  toView(member: Member): MemberRecord {
    return { ...toMemberRecord(member), availability: this.getAvailability(member) };
  }

  /** Lists connected members whose availability is not `offline`. */
  listAvailable(workspaceId: string): { id: string; availability: Availability }[] {
    return [...this.store.listPresent(memberPresenceGroups.groupFor(workspaceId))]
      .filter(([id]) => isId(id))
      .map(([id, metadata]) => ({ id, availability: readMemberMetadata(metadata).availability }))
      .filter(({ availability }) => availability !== 'offline');
  }

  /** Reports whether a member who sees the channel is online. */
  isAnyOnline(workspaceId: string, channelId: string): boolean {
    const members = [...this.store.listPresent(memberPresenceGroups.groupFor(workspaceId)).values()].map(
      readMemberMetadata,
    );
    return members.some(({ availability, channels }) => availability === 'online' && covers(channels, channelId));
  }
}

export function toMemberMetadata({ availability, channels }: MemberPresenceMetadata): string {
  return JSON.stringify({ availability, channels });
}

/** Reads metadata as `toMemberMetadata` wrote it. Anything else counts as connected, `offline` and without channels. */
export function readMemberMetadata(metadata: string): MemberPresenceMetadata {
  try {
    const { availability, channels } = Object(JSON.parse(metadata)) as Partial<
      Record<keyof MemberPresenceMetadata, unknown>
    >;
    if (isAvailability(availability) && isScope(channels)) return { availability, channels };
  } catch {
    // not JSON
  }
  return { availability: 'offline', channels: [] };
}

function isAvailability(value: unknown): value is Availability {
  return AVAILABILITIES.some(known => known === value);
}

function isScope(value: unknown): value is ChannelScope {
  return value === null || (Array.isArray(value) && value.every(isId));
}
