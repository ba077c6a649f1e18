import { Module } from '@nestjs/common';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { ContactErasureListener } from './listeners/contact-erasure.listener.js';
import { ContactMergeListener } from './listeners/contact-merge.listener.js';
import { OwnViewHooks } from './own-view-hooks.js';
import { ViewCountsService } from './view-counts.service.js';
import { ViewEntity } from './view.entity.js';
import { ViewFiltersService } from './view-filters.service.js';
import { ViewLogService } from './view-log.service.js';
import { ViewsController } from './views.controller.js';
import { VIEW_EVENTS } from './views.events.js';
import { ViewsRepository } from './views.repository.js';
import { ViewsService } from './views.service.js';

@Module({
  imports: [ContactsModule, ConversationsModule],
  controllers: [ViewsController],
  providers: [
    ViewsRepository,
    ViewFiltersService,
    ViewCountsService,
    ViewLogService,
    ViewsService,
    OwnViewHooks,
    ContactErasureListener,
    ContactMergeListener,
  ],
  exports: [OwnViewHooks],
})
export class ViewsModule {
  static readonly entities = [ViewEntity];
  static readonly events = VIEW_EVENTS;
}
