import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/domain-event.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { Contact } from './contact.js';
import { toContactRecord } from './contact.js';
import './contacts.events.js';
import { ContactsRepository } from './contacts.repository.js';

/** Records events of contacts, in the caller's unit of work. */
@Injectable()
export class ContactLogService {
  constructor(
    private readonly events: EventLogService,
    private readonly contacts: ContactsRepository,
  ) {}

  async recordCreated(contact: Contact, actor: Actor, channelId?: string): Promise<void> {
    const { workspaceId, id: contactId } = contact;
    const payload = toContactRecord(contact);
    await this.events.record({ type: 'contact.created', workspaceId, contactId, channelId, actor, payload });
  }

  /**
   * The event has no channel, because the contact is the same in all of its channels.
   * @param refused the generation of its tokens that is revoked; null for none
   */
  async recordUpdated(contact: Contact, actor: Actor, refused: number | null): Promise<void> {
    const { workspaceId, id: contactId } = contact;
    const channels = await this.contacts.findChannelIds(contact);
    const payload = { contact: toContactRecord(contact), channel_ids: channels, refused_generation: refused };
    await this.events.record({ type: 'contact.updated', workspaceId, contactId, actor, payload });
  }

  async recordMerged(from: Contact, into: Contact, actor: Actor, refused: number): Promise<void> {
    const { workspaceId, id: contactId } = from;
    const channels = await this.contacts.findChannelIds(into);
    const payload = { id: contactId, into_id: into.id, channel_ids: channels, refused_generation: refused };
    await this.events.record({ type: 'contact.merged', workspaceId, contactId, actor, payload });
  }

  /** @param channels the channels that the contact came through */
  async recordDeleted(contact: Contact, actor: Actor, channels: string[], refused: number): Promise<void> {
    const { workspaceId, id: contactId } = contact;
    const payload = { id: contactId, channel_ids: channels, refused_generation: refused };
    await this.events.record({ type: 'contact.deleted', workspaceId, contactId, actor, payload });
  }

  /** Records that no content of the person is stored any more. */
  async recordErased(workspaceId: string, contactId: string, scrubbed: number): Promise<void> {
    const payload = { id: contactId, scrubbed_rows: scrubbed };
    const actor = { type: 'system', id: null } as const;
    await this.events.record({ type: 'contact.erased', workspaceId, contactId, actor, payload });
  }

  /** Records a decision for the audit log. The payload has only the id, no personal data. */
  async recordDecision(
    type: 'contact.blocked' | 'contact.unblocked' | 'contact.exported',
    contact: Contact,
    actor: Actor,
  ): Promise<void> {
    const { workspaceId, id: contactId } = contact;
    await this.events.record({ type, workspaceId, contactId, actor, payload: { id: contactId } });
  }
}
