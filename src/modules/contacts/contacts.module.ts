import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../platform/idempotency/idempotency.module.js';
import { ContactDuplicatesRepository } from './contact-duplicates.repository.js';
import { ContactDuplicatesService } from './contact-duplicates.service.js';
import { ContactErasuresRepository } from './contact-erasures.repository.js';
import { ContactErasuresService } from './contact-erasures.service.js';
import { ContactLogService } from './contact-log.service.js';
import { ContactMergesService } from './contact-merges.service.js';
import { ContactPresenceService } from './contact-presence.service.js';
import { ContactErasureHooks, ContactMergeHooks } from './contact-teardown-hooks.js';
import { ContactChannelEntity, ContactEntity } from './contact.entity.js';
import { ContactsController } from './contacts.controller.js';
import { CONTACT_EVENTS } from './contacts.events.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { UnsubscribedAddressEntity } from './unsubscribed-address.entity.js';
import { VisitorPagesService } from './visitor-pages.service.js';

@Module({
  imports: [IdempotencyModule],
  controllers: [ContactsController],
  providers: [
    ContactsRepository,
    ContactDuplicatesRepository,
    ContactErasuresRepository,
    ContactLogService,
    SubscriptionsRepository,
    SubscriptionsService,
    ContactsService,
    ContactPresenceService,
    VisitorPagesService,
    ContactDuplicatesService,
    ContactMergesService,
    ContactErasuresService,
    ContactMergeHooks,
    ContactErasureHooks,
  ],
  exports: [
    ContactsService,
    SubscriptionsService,
    ContactPresenceService,
    VisitorPagesService,
    ContactMergeHooks,
    ContactErasureHooks,
  ],
})
export class ContactsModule {
  static readonly entities = [ContactEntity, ContactChannelEntity, UnsubscribedAddressEntity];
  static readonly events = CONTACT_EVENTS;
}
