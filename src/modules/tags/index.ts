export type { TagCountChange } from './tag-counts.js';
export { TAG_LIMITS, tagKey } from './tag.js';
export { TagsModule } from './tags.module.js';
export type { TagList } from './tags.service.js';
export { TagsService } from './tags.service.js';
