import { Integer, Text } from '../../platform/schemas/fields.js';
import { COMMENT_CHARS } from './rating.js';

export class RateConversationBody {
  @Integer({ min: 1, max: 5, example: 5, description: '5 is best.' }) score!: number;
  @Text({ optional: true, min: 0, max: COMMENT_CHARS, example: 'Quick and friendly.' }) comment?: string;
}
