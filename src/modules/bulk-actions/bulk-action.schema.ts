import { Choice, Flag, Id, Ids, Nested, NestedList, Text, Time } from '../../platform/schemas/fields.js';
import { PRIORITIES } from '../conversations/index.js';
import type { Priority } from '../conversations/index.js';
import { TAG_LIMITS } from '../tags/index.js';
import { BULK_ACTIONS } from './bulk-action.js';
import type { BulkAction } from './bulk-action.js';

const optional = true;
const nullable = true;

export class BulkActionBody {
  @Ids({ maxItems: 100, repeatable: true, description: 'Ids of conversations.' }) ids!: string[];
  @Choice(BULK_ACTIONS) action!: BulkAction['action'];
  @Id({ optional, nullable, description: 'For `assign`; `null` unassigns.' }) member_id?: string | null;
  @Time({ optional, description: 'For `snooze`. Without it, until the contact writes.' }) until?: string;
  @Text({ optional, max: TAG_LIMITS.max, pattern: /\S/, description: 'For `tag` and `untag`.', example: 'vip' })
  tag?: string;
  @Choice(PRIORITIES, { optional, description: 'For `priority`.' }) priority?: Priority;
}

export class BulkErrorDetailView {
  @Text({ max: 200, example: 'member_id' }) field!: string;
  @Text({ max: 50, example: 'unknown' }) code!: string;
  @Text({ max: 500, example: 'member_id is unknown' }) message!: string;
}

export class BulkErrorView {
  @Text({ max: 100, example: 'not_found' }) code!: string;
  @Text({ max: 500, example: 'The resource does not exist or is not visible to you.' }) message!: string;
  @NestedList(() => BulkErrorDetailView, { optional }) details?: BulkErrorDetailView[];
}

export class BulkResultView {
  @Id() id!: string;
  @Flag() ok!: boolean;
  @Nested(() => BulkErrorView, { optional, description: 'Like the error of the single route.' }) error?: BulkErrorView;
}

export class BulkResultsView {
  @NestedList(() => BulkResultView, { maxItems: 100, description: 'In the order of the ids.' })
  results!: BulkResultView[];
}
