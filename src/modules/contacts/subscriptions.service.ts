import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Forbidden } from '../../kernel/errors.js';
import { assertAllowed } from '../../kernel/permission.js';
import type { Principal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { addressHash } from './address-hash.js';
import { ContactLogService } from './contact-log.service.js';
import type { Contact } from './contact.js';
import { EmailMissing } from './contacts.errors.js';
import { ContactsRepository } from './contacts.repository.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

/** Tells which addresses want no follow-ups by mail, and changes it. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly log: ContactLogService,
    private readonly contacts: ContactsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly clock: Clock,
  ) {}

  /** @param email null counts as subscribed */
  async isUnsubscribed(workspaceId: string, email: string | null): Promise<boolean> {
    return email !== null && this.subscriptions.isUnsubscribed(workspaceId, addressHash(workspaceId, email));
  }

  isHashUnsubscribed(workspaceId: string, hash: string): Promise<boolean> {
    return this.subscriptions.isUnsubscribed(workspaceId, hash);
  }

  /**
   * Sets the subscription of the contact's present address, in the unit of work that has locked the contact.
   * @throws EmailMissing @throws Forbidden, ScopeTooNarrow unless the caller is an admin, an API key or the verified
   *   contact itself
   */
  async setByCaller(principal: Principal, contact: Contact, unsubscribed: boolean): Promise<void> {
    if (principal.kind !== 'visitor') assertAllowed(principal, 'contacts:write', { role: 'admin' });
    else if (!contact.verified) throw new Forbidden();
    if (contact.email === null) throw new EmailMissing();
    await this.subscriptions.set(contact.workspaceId, addressHash(contact.workspaceId, contact.email), unsubscribed);
  }

  /**
   * Sets the subscription of the address that a mail was sent to.
   * @param contactId the contact that the mail was for. If it still has the address, its change is an event
   */
  async setByMail(workspaceId: string, contactId: string, hash: string, unsubscribed: boolean): Promise<void> {
    await this.units.run(async () => {
      const contact = await this.contacts.lock(workspaceId, contactId);
      await this.subscriptions.set(workspaceId, hash, unsubscribed);
      if (!contact || contact.endedAt || contact.emailUnsubscribed === unsubscribed) return;
      if (contact.email === null || addressHash(workspaceId, contact.email) !== hash) return;
      const changed = { ...contact, emailUnsubscribed: unsubscribed, updatedAt: this.clock.now() };
      await this.contacts.save(changed);
      await this.log.recordUpdated(changed, { type: 'contact', id: contactId }, null);
    });
  }
}
