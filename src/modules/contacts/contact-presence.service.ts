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

export const contactPresenceGroups = new PresenceGroups('contacts');

export type ContactWithPresence = ContactRecord & { presence: 'online' | 'offline' };

/** Presence of contacts. The metadata lists the channels that a contact came through. */
@Injectable()
export class ContactPresenceService {
  constructor(private readonly store: PresenceStore) {}

  /** The contact as the caller may see it, with its presence. */
  toView(principal: Principal, contact: Contact): ContactWithPresence {
    return this.addPresence(contact.workspaceId, visibleRecord(principal, toContactRecord(contact)));
  }

  isOnline(workspaceId: string, contactId: string): boolean {
    return this.store.findMetadata(contactPresenceGroups.groupFor(workspaceId), contactId) !== undefined;
  }

  addPresence(workspaceId: string, contact: ContactRecord): ContactWithPresence {
    return { ...contact, presence: this.isOnline(workspaceId, contact.id) ? 'online' : 'offline' };
  }

  /** Lists up to `limit` connected contacts within the scope. */
  listOnline(workspaceId: string, scope: ChannelScope, limit: number): string[] {
    const ids: string[] = [];
    for (const [id, metadata] of this.store.listPresent(contactPresenceGroups.groupFor(workspaceId))) {
      if (ids.length >= limit) break;
      if (!isId(id)) continue;
      if (scope === null || readContactMetadata(metadata).some(channel => covers(scope, channel))) ids.push(id);
    }
    return ids;
  }
}

export function readContactMetadata(metadata: string | undefined): string[] {
  return metadata === undefined || metadata === '' ? [] : metadata.split(' ');
}

export function toContactMetadata(channels: readonly string[]): string {
  return channels.join(' ');
}
