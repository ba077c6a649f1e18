import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { NotFound, TokenRevoked } from '../../kernel/errors.js';
import type { Page } from '../../kernel/page.js';
import type { Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import type { Sighting } from '../../kernel/presence.js';
import { violates } from '../../platform/database/database-errors.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { ContactDetails } from './contact-details.js';
import { toColumns, newContact } from './contact-details.js';
import { ContactLogService } from './contact-log.service.js';
import type { Contact } from './contact.js';
import { toContactRecord } from './contact.js';
import { ContactBlocked, ContactMergedAway, ExternalIdTaken } from './contacts.errors.js';
import { assertMayChangeExternalId, assertCanSeeExternalIds } from './external-id.js';
import type { ContactQuery } from './contacts.repository.js';
import { ContactsRepository } from './contacts.repository.js';
import { SubscriptionsService } from './subscriptions.service.js';

const ATTEMPTS = 5;

@Injectable()
export class ContactsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly log: ContactLogService,
    private readonly contacts: ContactsRepository,
    private readonly subscriptions: SubscriptionsService,
    private readonly clock: Clock,
  ) {}

  list(principal: StaffPrincipal, query: ContactQuery): Promise<Page<Contact>> {
    return this.contacts.findPage(principal, query);
  }

  async get(principal: Principal, id: string): Promise<Contact> {
    return (await this.contacts.findVisible(principal, id)) ?? (await this.throwMissing(principal, id));
  }

  /** Throws the error for a contact that the caller cannot see. @throws ContactMergedAway, NotFound, TokenRevoked */
  async throwMissing(principal: Principal, id: string): Promise<never> {
    // the visitor's own contact, which ended after the visitor was authenticated
    if (principal.kind === 'visitor') throw new TokenRevoked();
    const into = await this.contacts.findMergeTarget(principal, id);
    throw into === null ? new NotFound() : new ContactMergedAway({ data: { contact_id: into } });
  }

  /** Finds a contact without a caller's visibility check. The caller must have its own reason to read it. */
  find(workspaceId: string, id: string): Promise<Contact | null> {
    return this.contacts.find(workspaceId, id);
  }

  /** Ids of those contacts that the caller may see. */
  findVisibleIds(principal: Principal, ids: readonly string[]): Promise<Set<string>> {
    return this.contacts.findVisibleIds(principal, ids);
  }

  /** Finds those of the contacts that the caller may see. @param channelId only those that came through it */
  async findAllVisible(principal: Principal, ids: readonly string[], channelId?: string): Promise<Contact[]> {
    return ids.length === 0 ? [] : this.contacts.findAllVisible(principal, ids, channelId);
  }

  /** Channels that these contacts came through. */
  findChannelIds(
    contacts: readonly Pick<Contact, 'workspaceId' | 'id'>[],
  ): Promise<{ id: string; channels: string[] }[]> {
    return this.contacts.findChannelIdsOfMany(contacts);
  }

  /** Updates `last_seen_at`. Records no event. */
  recordSightings(sightings: readonly Sighting[]): Promise<void> {
    return this.contacts.recordSightings(sightings);
  }

  /**
   * @throws ExternalIdTaken @throws Forbidden, ScopeTooNarrow if the caller sets an `external_id` and may not see
   *   external ids
   */
  async create(principal: StaffPrincipal, details: ContactDetails): Promise<Contact> {
    if (details.external_id !== undefined) assertCanSeeExternalIds(principal);
    const contact = newContact(principal.workspaceId, false, details, this.clock.now());
    return this.units.run(async () => {
      await this.loadSubscription(contact);
      if (!(await this.contacts.insertIfAbsent(contact))) throw new ExternalIdTaken();
      await this.log.recordCreated(contact, actorOf(principal));
      return contact;
    });
  }

  /** @throws ExternalIdTaken, ContactVerified, EmailMissing, and the errors of `create` */
  async update(principal: Principal, id: string, details: ContactDetails): Promise<Contact> {
    return this.units.run(
      async () => {
        const contact = (await this.contacts.lockVisible(principal, id)) ?? (await this.throwMissing(principal, id));
        assertMayChangeExternalId(principal, contact, details.external_id);
        return this.applyChanges(contact, details, actorOf(principal), principal);
      },
      { row: id },
    );
  }

  /**
   * Finds the contact by the site's id, or creates it. Concurrent first sessions get one contact: the loser of the
   * insert waits for the winner's commit and reads its row. A merged contact redirects; one that ends during the lookup
   * is looked up again.
   */
  async findOrCreate(
    workspaceId: string,
    channelId: string,
    identity: { externalId: string | null; verified: boolean },
    details: ContactDetails,
  ): Promise<Contact> {
    return this.units.run(async () => {
      const { externalId, verified } = identity;
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const known =
          externalId === null ? null : await this.contacts.findByExternalId(workspaceId, externalId, verified);
        const stillMatches = (contact: Contact) => contact.id !== known?.id || contact.externalId === externalId;
        const id = known ? (known.mergedIntoId ?? known.id) : null;
        const found = id === null ? null : await this.recordArrival(workspaceId, id, channelId, details, stillMatches);
        if (found) return found;
        const contact = newContact(workspaceId, verified, { ...details, external_id: externalId }, this.clock.now());
        await this.loadSubscription(contact);
        if (!(await this.contacts.insertIfAbsent(contact))) continue;
        await this.log.recordCreated(contact, { type: 'contact', id: contact.id }, channelId);
        const arrived = await this.recordArrival(workspaceId, contact.id, channelId, {});
        if (arrived) return arrived;
      }
      throw new Error(`no contact was found or created in ${ATTEMPTS} attempts`);
    });
  }

  /**
   * Records that the contact came through this channel, and the details it gave. Does nothing for a blocked contact.
   * @param stillMatches checked under the lock, because the contact may have changed since the lookup
   * @returns null if the contact has ended or no longer matches
   */
  async recordArrival(
    workspaceId: string,
    id: string,
    channelId: string,
    details: ContactDetails,
    stillMatches: (contact: Contact) => boolean = () => true,
  ): Promise<Contact | null> {
    return this.units.run(
      async () => {
        const contact = await this.contacts.lock(workspaceId, id);
        if (!contact || contact.endedAt || !stillMatches(contact)) return null;
        if (contact.blocked) return contact;
        await this.contacts.addChannel(workspaceId, id, channelId);
        contact.lastSeenAt = this.clock.now();
        await this.contacts.setLastSeen(workspaceId, id, contact.lastSeenAt);
        return this.applyChanges(contact, details, { type: 'contact', id });
      },
      { row: id },
    );
  }

  /**
   * Blocks or unblocks the contact; does nothing if it is in that state. A concurrent message is committed before the
   * block, or refused.
   */
  async setBlocked(principal: StaffPrincipal, id: string, blocked: boolean): Promise<Contact> {
    return this.units.run(
      async () => {
        const contact = (await this.contacts.lockVisible(principal, id)) ?? (await this.throwMissing(principal, id));
        if (contact.blocked === blocked) return contact;
        contact.blocked = blocked;
        contact.updatedAt = this.clock.now();
        await this.contacts.save(contact);
        const actor = actorOf(principal);
        await this.log.recordUpdated(contact, actor, blocked ? contact.tokenGeneration : null);
        await this.log.recordDecision(blocked ? 'contact.blocked' : 'contact.unblocked', contact, actor);
        return contact;
      },
      { row: id },
    );
  }

  /**
   * Returns the contact and the contacts merged into it, for an export. Records the export.
   * @throws NotFound, ContactMergedAway
   */
  async getForExport(principal: StaffPrincipal, id: string): Promise<{ contact: Contact; merged: Contact[] }> {
    return this.units.run(async () => {
      const contact = await this.get(principal, id);
      await this.log.recordDecision('contact.exported', contact, actorOf(principal));
      return { contact, merged: await this.contacts.findMerged(contact) };
    });
  }

  /**
   * Locks the visitor's contact against blocking, merging and erasure until the unit of work ends. Call it before you
   * lock its conversations: those operations lock in that order.
   * @throws TokenRevoked, ContactBlocked
   */
  async lockForShare({ workspaceId, contactId, generation }: VisitorPrincipal): Promise<void> {
    const contact = await this.contacts.lockForShare(workspaceId, contactId);
    if (!contact || contact.tokenGeneration !== generation) throw new TokenRevoked();
    if (contact.blocked) throw new ContactBlocked();
  }

  /** Checks that the contact has not ended, and keeps it so until the unit of work ends. */
  async lockActiveForShare(workspaceId: string, id: string): Promise<boolean> {
    return (await this.contacts.lockForShare(workspaceId, id))?.endedAt === null;
  }

  /** Makes the contact visible to members of this channel. */
  async addChannel(workspaceId: string, contactId: string, channelId: string): Promise<void> {
    await this.contacts.addChannel(workspaceId, contactId, channelId);
  }

  /** The subscription belongs to the address, which another contact may have used before. */
  private async loadSubscription(contact: Contact): Promise<void> {
    contact.emailUnsubscribed = await this.subscriptions.isUnsubscribed(contact.workspaceId, contact.email);
  }

  private async applyChanges(
    contact: Contact,
    details: ContactDetails,
    actor: Actor,
    subscriber?: Principal,
  ): Promise<Contact> {
    const before = toContactRecord(contact);
    Object.assign(contact, toColumns(details));
    if (contact.email !== before.email) await this.loadSubscription(contact);
    if (subscriber && details.email_unsubscribed !== undefined) {
      await this.subscriptions.setByCaller(subscriber, contact, details.email_unsubscribed);
      contact.emailUnsubscribed = details.email_unsubscribed;
    }
    if (isDeepStrictEqual(toContactRecord(contact), before)) return contact;
    // a token of the old external_id must not read the history of the new one, nor the other way round
    const ends = before.external_id !== contact.externalId;
    const refused = ends ? contact.tokenGeneration : null;
    if (ends) contact.tokenGeneration += 1;
    contact.updatedAt = this.clock.now();
    try {
      await this.contacts.save(contact);
    } catch (error) {
      if (violates(error, 'uq_contact_external_id')) throw new ExternalIdTaken({ cause: error });
      throw error;
    }
    await this.log.recordUpdated(contact, actor, refused);
    return contact;
  }
}
