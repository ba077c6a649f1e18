import { Injectable } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { covers } from '../../kernel/channel-scope.js';
import { isId } from '../../kernel/ids.js';
import { PresenceStore } from '../../platform/presence/presence-store.js';
import { PresenceGroups } from '../../platform/presence/presence-groups.js';
import type { Availability, Member, MemberRecord } from './member.js';
import { AVAILABILITIES, toMemberRecord } from './member.js';

export const memberRooms = new PresenceGroups('members');

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
  of({
    id,
    workspaceId,
    status,
    availability,
  }: Pick<Member, 'id' | 'workspaceId' | 'status' | 'availability'>): Availability {
    const connected =
      status === 'active' && this.store.findMetadata(memberRooms.groupFor(workspaceId), id) !== undefined;
    return connected ? availability : 'offline';
  }

  /** The same of one of whom only the id is known. */
  statusOf(workspaceId: string, id: string): Availability {
    const note = this.store.findMetadata(memberRooms.groupFor(workspaceId), id);
    return note === undefined ? 'offline' : readMemberMetadata(note).availability;
  }

  toView(member: Member): MemberRecord {
    return { ...toMemberRecord(member), availability: this.of(member) };
  }

  /** Those who are connected and not set to offline. */
  shown(workspaceId: string): { id: string; availability: Availability }[] {
    return [...this.store.listPresent(memberRooms.groupFor(workspaceId))]
      .filter(([id]) => isId(id))
      .map(([id, note]) => ({ id, availability: readMemberMetadata(note).availability }))
      .filter(({ availability }) => availability !== 'offline');
  }

  /** Whether anybody is online who sees the channel. */
  anyOnline(workspaceId: string, channelId: string): boolean {
    const notes = [...this.store.listPresent(memberRooms.groupFor(workspaceId)).values()].map(readMemberMetadata);
    return notes.some(({ availability, channels }) => availability === 'online' && covers(channels, channelId));
  }
}

export function toMemberMetadata({ availability, channels }: MemberPresenceMetadata): string {
  return JSON.stringify({ availability, channels });
}

/** A note that no instance has written is that of a member who is connected and shown to nobody. */
export function readMemberMetadata(note: string): MemberPresenceMetadata {
  try {
    const { availability, channels } = Object(JSON.parse(note)) as Partial<
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
