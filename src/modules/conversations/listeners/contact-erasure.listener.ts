import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import { Clock } from '../../../kernel/clock.js';
import type { Principal } from '../../../kernel/principal.js';
import { ErasureJob } from '../../../platform/erasure/erasure.job.js';
import type { ErasedPerson } from '../../contacts/index.js';
import { ContactErasureHooks } from '../../contacts/index.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import { ConversationFacetsRepository } from '../conversation-facets.repository.js';
import { ConversationsRepository } from '../conversations.repository.js';

/** Erases the conversations of an erased contact: their rows stay for statistics, their content is scrubbed by the job. */
@Injectable()
export class ContactErasureListener implements OnModuleInit {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly facets: ConversationFacetsRepository,
    private readonly changes: ConversationChangesService,
    private readonly job: ErasureJob,
    private readonly erasureHooks: ContactErasureHooks,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.erasureHooks.add((person, by) => this.erase(person, by));
  }

  /** Resolves last, because it updates the counts, for which other transactions wait. */
  private async erase({ workspaceId, contactId }: ErasedPerson, by: Principal): Promise<void> {
    const ids = (await this.conversations.lockByContact(workspaceId, contactId)).map(({ id }) => id);
    await this.conversations.erase(workspaceId, ids, this.clock.now());
    await this.facets.setUnread(workspaceId, ids);
    await this.job.begin(workspaceId, contactId, 'conversation', ids);
    const erased = await this.conversations.lockByContact(workspaceId, contactId);
    await this.changes.triggerAll(erased, 'resolve', actorOf(by));
  }
}
