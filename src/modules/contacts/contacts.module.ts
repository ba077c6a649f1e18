import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../platform/idempotency/idempotency.module.js';
import { ContactErasures } from './contact-erasures.service.js';
import { ContactErasureHoldings, ContactMergeHoldings } from './contact-holdings.js';
import { ContactLog } from './contact-log.js';
import { ContactMerges } from './contact-merges.service.js';
import { ContactPresence } from './contact-presence.service.js';
import { ContactsController } from './contacts.controller.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';

@Module({
  imports: [IdempotencyModule],
  controllers: [ContactsController],
  providers: [
    ContactsRepository,
    ContactLog,
    ContactsService,
    ContactPresence,
    ContactMerges,
    ContactErasures,
    ContactMergeHoldings,
    ContactErasureHoldings,
  ],
  exports: [ContactsService, ContactPresence, ContactMergeHoldings, ContactErasureHoldings],
})
export class ContactsModule {}
