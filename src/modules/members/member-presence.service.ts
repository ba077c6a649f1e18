import { Injectable } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { covers } from '../../kernel/channel-scope.js';
import { isId } from '../../kernel/ids.js';
import { PresenceStore } from '../../platform/presence/presence-store.js';
import { WorkspaceRooms } from '../../platform/presence/workspace-rooms.js';
import type { Availability, Member, MemberRecord } from './member.js';
import { AVAILABILITIES, toMemberRecord } from './member.js';

export const memberRooms = new WorkspaceRooms('members');

/** What the roster says of a member who is connected: what it has set by hand, and the channels that it sees. */
export interface MemberPresenceMetadata {
  availability: Availability;
  channels: ChannelScope;
}

/** Which members are connected, and how they are to be shown: what they have set by hand, and offline without a socket. */
@Injectable()
export class MemberPresenceService {
  constructor(private readonly store: PresenceStore) {}

  /** How the member is shown to others. Its own word is the newer one of the two, the roster only knows that it is there. */
  getAvailability({
    id,
    workspaceId,
    status,
    availability,
  }: Pick<Member, 'id' | 'workspaceId' | 'status' | 'availability'>): Availability {
    const connected = status === 'active' && this.store.metadataOf(memberRooms.of(workspaceId), id) !== undefined;
    return connected ? availability : 'offline';
  }

  /** The same of one of whom only the id is known. */
  getAvailabilityById(workspaceId: string, id: string): Availability {
    const metadata = this.store.metadataOf(memberRooms.of(workspaceId), id);
    return metadata === undefined ? 'offline' : readMemberMetadata(metadata).availability;
  }

  toView(member: Member): MemberRecord {
    return { ...toMemberRecord(member), availability: this.getAvailability(member) };
  }

  /** Those who are connected and not set to offline. */
  listAvailable(workspaceId: string): { id: string; availability: Availability }[] {
    return [...this.store.present(memberRooms.of(workspaceId))]
      .filter(([id]) => isId(id))
      .map(([id, metadata]) => ({ id, availability: readMemberMetadata(metadata).availability }))
      .filter(({ availability }) => availability !== 'offline');
  }

  /** Whether anybody is online who sees the channel. */
  isAnyOnline(workspaceId: string, channelId: string): boolean {
    const members = [...this.store.present(memberRooms.of(workspaceId)).values()].map(readMemberMetadata);
    return members.some(({ availability, channels }) => availability === 'online' && covers(channels, channelId));
  }
}

export function toMemberMetadata({ availability, channels }: MemberPresenceMetadata): string {
  return JSON.stringify({ availability, channels });
}

/** A note that no instance has written is that of a member who is connected and shown to nobody. */
export function readMemberMetadata(metadata: string): MemberPresenceMetadata {
  try {
    const { availability, channels } = Object(JSON.parse(metadata)) as Partial<
      Record<keyof MemberPresenceMetadata, unknown>
    >;
    if (isAvailability(availability) && isScope(channels)) return { availability, channels };
  } catch {
    // no JSON
  }
  return { availability: 'offline', channels: [] };
}

function isAvailability(value: unknown): value is Availability {
  return AVAILABILITIES.some(known => known === value);
}

function isScope(value: unknown): value is ChannelScope {
  return value === null || (Array.isArray(value) && value.every(isId));
}
