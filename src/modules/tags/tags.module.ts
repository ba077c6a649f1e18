import { Module } from '@nestjs/common';
import { TagCountsRepository } from './tag-counts.repository.js';
import { TagEntity, TagTallyEntity } from './tag.entity.js';
import { TagsController } from './tags.controller.js';
import { TAG_EVENTS } from './tags.events.js';
import { TagsRepository } from './tags.repository.js';
import { TagsService } from './tags.service.js';

@Module({
  controllers: [TagsController],
  providers: [TagsRepository, TagCountsRepository, TagsService],
  exports: [TagsService],
})
export class TagsModule {
  static readonly entities = [TagEntity, TagTallyEntity];
  static readonly events = TAG_EVENTS;
}
