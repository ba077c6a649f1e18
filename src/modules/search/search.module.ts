import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MessagesModule } from '../messages/index.js';
import { FoundItemsService } from './found-items.service.js';
import { SearchErasureListener } from './listeners/search-erasure.listener.js';
import { SearchBackfillEntity } from './search-backfill.entity.js';
import { SearchBackfillWorker } from './search-backfill.worker.js';
import { SearchBackfillsRepository } from './search-backfills.repository.js';
import { SearchCandidatesRepository } from './search-candidates.repository.js';
import { SearchDocumentEntity } from './search-document.entity.js';
import { SearchDocumentsRepository } from './search-documents.repository.js';
import { SearchIndexingService } from './search-indexing.service.js';
import { SearchPostponedEntity } from './search-postponed.entity.js';
import { SearchPostponedRepository } from './search-postponed.repository.js';
import { SearchPostponedWorker } from './search-postponed.worker.js';
import { SearchSegmentEntity } from './search-segment.entity.js';
import { SearchSegmentsRepository } from './search-segments.repository.js';
import { SearchSourcesRepository } from './search-sources.repository.js';
import { SearchConsumer } from './search.consumer.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';

@Module({
  imports: [AttachmentsModule, ContactsModule, ConversationsModule, MessagesModule],
  controllers: [SearchController],
  providers: [
    SearchSegmentsRepository,
    SearchDocumentsRepository,
    SearchSourcesRepository,
    SearchIndexingService,
    SearchConsumer,
    SearchBackfillsRepository,
    SearchBackfillWorker,
    SearchPostponedRepository,
    SearchPostponedWorker,
    SearchCandidatesRepository,
    FoundItemsService,
    SearchService,
    SearchErasureListener,
  ],
})
export class SearchModule {
  static readonly entities = [SearchDocumentEntity, SearchSegmentEntity, SearchBackfillEntity, SearchPostponedEntity];
}
