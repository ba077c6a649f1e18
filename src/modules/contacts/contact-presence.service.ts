import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { covers } from '../../kernel/channel-scope.js';
import { isId } from '../../kernel/ids.js';
import { PresenceStore } from '../../platform/presence/presence-store.js';
import { PresenceGroups } from '../../platform/presence/presence-groups.js';
import type { Contact, ContactRecord } from './contact.js';
import { toContactRecord } from './contact.js';
import { visibleRecord } from './external-id.js';

export const contactRooms = new PresenceGroups('contacts');

export type ContactWithPresence = ContactRecord & { presence: 'online' | 'offline' };

/** Which contacts are connected. What the roster says of one is the channels through which it has come. */
@Injectable()
export class ContactPresenceService {
  constructor(private readonly store: PresenceStore) {}

  /** The contact as the caller may see it. */
  toView(principal: Principal, contact: Contact): ContactWithPresence {
    return this.withPresence(contact.workspaceId, visibleRecord(principal, toContactRecord(contact)));
  }

  withPresence(workspaceId: string, contact: ContactRecord): ContactWithPresence {
    const note = this.store.findMetadata(contactRooms.groupFor(workspaceId), contact.id);
    return { ...contact, presence: note === undefined ? 'offline' : 'online' };
  }

  /** Those who are connected and within the scope, as many as are asked for. */
  online(workspaceId: string, scope: ChannelScope, limit: number): string[] {
    const ids: string[] = [];
    for (const [id, note] of this.store.listPresent(contactRooms.groupFor(workspaceId))) {
      if (ids.length >= limit) break;
      if (!isId(id)) continue;
      if (scope === null || readChannels(note).some(channel => covers(scope, channel))) ids.push(id);
    }
    return ids;
  }
}

export function readChannels(note: string | undefined): string[] {
  return note === undefined || note === '' ? [] : note.split(' ');
}

export function channelsMetadata(channels: readonly string[]): string {
  return channels.join(' ');
}
