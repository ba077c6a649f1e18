import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound, ValidationFailed } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ContactLogService } from './contact-log.service.js';
import { ContactMergeHooks } from './contact-teardown-hooks.js';
import type { ContactMerge } from './contact-teardown-hooks.js';
import { changedFields, fillFrom, redirectsSessions, takesOverIdentity } from './contact-merge.js';
import type { Contact } from './contact.js';
import { ContactVerified } from './contacts.errors.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';

/** Result of a merge or of its dry run. */
export interface MergeOutcome {
  contact: Contact;
  /** Fields that the contact took from the other one. */
  takenOver: string[];
  conversations: number;
  resolvedConversationIds: string[];
}

/** Rolls back the unit of work of a dry run, and carries its outcome. */
class DryRunRollback extends Error {
  constructor(readonly outcome: MergeOutcome) {
    super('merge dry run: rolled back');
  }
}

/** Merges two contacts that are the same person. */
@Injectable()
export class ContactMergesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly log: ContactLogService,
    private readonly contacts: ContactsRepository,
    private readonly contactsService: ContactsService,
    private readonly hooks: ContactMergeHooks,
    private readonly clock: Clock,
  ) {}

  /**
   * Moves everything of `fromId` to `id`. The tokens and sockets of `fromId` end.
   * @param dryRun runs the merge and rolls it back, so that the outcome is exact
   * @throws NotFound, ContactMergedAway, ContactVerified @throws ValidationFailed for an invalid `from_id`
   */
  async merge(principal: StaffPrincipal, id: string, fromId: string, dryRun: boolean): Promise<MergeOutcome> {
    if (id === fromId) throw invalidFromId('same', 'from_id must be a different contact');
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
    const merge: ContactMerge = { from, into, movedConversationIds: [], resolvedConversationIds: [] };
    await this.hooks.run(merge, principal);
    const actor = actorOf(principal);
    await this.log.recordUpdated(into, actor, into.blocked && !before.blocked ? into.tokenGeneration : null);
    await this.log.recordMerged(from, into, actor, refused);
    const { movedConversationIds, resolvedConversationIds } = merge;
    const takenOver = changedFields(before, into);
    return { contact: into, takenOver, conversations: movedConversationIds.length, resolvedConversationIds };
  }

  /** Ends `from` before `into` takes its `external_id`, which is unique. */
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
      throw error instanceof NotFound ? invalidFromId('unknown', 'from_id is not a known contact') : error;
    });
  }
}

function invalidFromId(code: string, message: string): Error {
  return new ValidationFailed({ details: [{ field: 'from_id', code, message }] });
}
