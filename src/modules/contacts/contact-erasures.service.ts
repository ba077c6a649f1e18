import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ErasureJob } from '../../platform/erasure/erasure.job.js';
import { ErasureStepRegistry } from '../../platform/erasure/erasure-step.registry.js';
import { ContactErasureHooks } from './contact-teardown-hooks.js';
import { ContactErasuresRepository } from './contact-erasures.repository.js';
import { ContactLogService } from './contact-log.service.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';

/** Erases people for good. */
@Injectable()
export class ContactErasuresService implements OnModuleInit {
  constructor(
    private readonly units: UnitOfWork,
    private readonly job: ErasureJob,
    private readonly steps: ErasureStepRegistry,
    private readonly contacts: ContactsRepository,
    private readonly erasures: ContactErasuresRepository,
    private readonly contactsService: ContactsService,
    private readonly log: ContactLogService,
    private readonly hooks: ContactErasureHooks,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.steps.onFinished(({ workspaceId, id, scrubbed }) => this.log.recordErased(workspaceId, id, scrubbed));
  }

  /**
   * Erases the contact and all contacts merged into it. Tokens and sockets end, and the `external_id` becomes free. A
   * message that is sent concurrently is either committed first and erased, or refused.
   * From the commit on, nothing of the person is shown. A job then scrubs the stored content in slices.
   * @throws NotFound, ContactMergedAway
   */
  async erase(principal: StaffPrincipal, id: string): Promise<void> {
    const { workspaceId } = principal;
    await this.units.run(
      async () => {
        const contact =
          (await this.contacts.lockVisible(principal, id)) ?? (await this.contactsService.throwMissing(principal, id));
        const channels = await this.contacts.findChannelIds(contact);
        const contactIds = [id, ...(await this.erasures.findMergedIds(contact))];
        const details = await this.erasures.findDetails(workspaceId, contactIds);
        await this.erasures.erase(workspaceId, contactIds, this.clock.now());
        await this.job.begin(workspaceId, id, 'contact', contactIds);
        await this.hooks.run({ workspaceId, contactId: id, contactIds, details }, principal);
        await this.log.recordDeleted(contact, actorOf(principal), channels, contact.tokenGeneration);
      },
      { row: id },
    );
  }
}
