import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound, ValidationFailed } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ContactLog } from './contact-log.js';
import { ContactMergeHooks } from './contact-teardown-hooks.js';
import type { ContactMerge } from './contact-teardown-hooks.js';
import { changedFields, fillFrom, redirectsSessions, takesOverIdentity } from './contact-merge.js';
import type { Contact } from './contact.js';
import { ContactVerified } from './contacts.errors.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';

/** What a merge has come to, or would come to. */
export interface MergeOutcome {
  contact: Contact;
  /** The fields of the contact that the other one has filled. */
  takenOver: string[];
  conversations: number;
  resolvedConversationIds: string[];
}

/** Ends the unit of work of a merge that is only to be seen: what it has found out, and nothing that it has done. */
class DryRunRollback extends Error {
  constructor(readonly outcome: MergeOutcome) {
    super('a merge that was only tried');
  }
}

/** Two contacts that are one person become one contact. */
@Injectable()
export class ContactMergesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly log: ContactLog,
    private readonly contacts: ContactsRepository,
    private readonly contactsService: ContactsService,
    private readonly hooks: ContactMergeHooks,
    private readonly clock: Clock,
  ) {}

  /**
   * Everything of the one that is merged away goes to the other; its tokens and sockets end.
   * @param dryRun does the same and takes it back: the answer is what would happen, exactly
   * @throws NotFound, ContactMerged, ContactVerified @throws ValidationFailed for a `from_id` that names nothing else
   */
  async merge(principal: StaffPrincipal, id: string, fromId: string, dryRun: boolean): Promise<MergeOutcome> {
    if (id === fromId) throw invalidFromId('same', 'from_id names the contact itself');
    try {
      return await this.units.run(async () => {
        const outcome = await this.mergeLocked(principal, id, fromId);
        if (dryRun) throw new DryRunRollback(outcome);
        return outcome;
      });
    } catch (error) {
      if (error instanceof DryRunRollback) return error.outcome;
      throw error;
    }
  }

  private async mergeLocked(principal: StaffPrincipal, id: string, fromId: string): Promise<MergeOutcome> {
    const locked = await this.contacts.lockPair(principal, id, fromId);
    const into = locked.find(contact => contact.id === id) ?? (await this.contactsService.throwMissing(principal, id));
    const from = locked.find(contact => contact.id === fromId) ?? (await this.throwFromMissing(principal, fromId));
    if (from.verified && !into.verified) throw new ContactVerified();
    const [before, refused] = [{ ...into }, from.tokenGeneration];
    const filled = fillFrom(into, from);
    await this.endMerged(from, into);
    Object.assign(into, filled, { updatedAt: this.clock.now() });
    await this.contacts.save(into);
    const merge: ContactMerge = { from, into, conversations: 0, resolvedConversationIds: [] };
    await this.hooks.run(merge, principal);
    const actor = actorOf(principal);
    await this.log.recordUpdated(into, actor, into.blocked && !before.blocked ? into.tokenGeneration : null);
    await this.log.recordMerged(from, into, actor, refused);
    const { conversations, resolvedConversationIds } = merge;
    return { contact: into, takenOver: changedFields(before, into), conversations, resolvedConversationIds };
  }

  /** Before the other takes over its `external_id`, of which there can be one. */
  private async endMerged(from: Contact, into: Contact): Promise<void> {
    if (takesOverIdentity(into, from) || !redirectsSessions(into, from)) from.externalId = null;
    from.endedAt = this.clock.now();
    from.mergedIntoId = into.id;
    from.tokenGeneration += 1;
    await this.contacts.save(from);
    await this.contacts.transferReferences(from, into);
  }

  private async throwFromMissing(principal: StaffPrincipal, id: string): Promise<never> {
    return this.contactsService.throwMissing(principal, id).catch((error: unknown) => {
      throw error instanceof NotFound ? invalidFromId('unknown', 'from_id names nothing here') : error;
    });
  }
}

function invalidFromId(code: string, message: string): Error {
  return new ValidationFailed({ details: [{ field: 'from_id', code, message }] });
}
