import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Integer, Text } from '../../platform/schemas/fields.js';
import type { TextOptions } from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import type { CountedTag } from './tag.js';
import { TAG_LIMITS } from './tag.js';

const { max } = TAG_LIMITS;
const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value);

/** The name of a tag, without the spaces around it. */
function TagName(options: TextOptions): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => trimmed(value)),
    Text({ ...options, max, example: 'vip' }),
  );
}

export class ListTagsQuery extends PageQuery {
  @Text({ optional: true, max, description: 'Only tags that contain this text.', example: 'vi' }) query?: string;
}

export class RenameTagBody {
  @TagName({ description: 'The tag, in any case.' }) from!: string;
  @TagName({ description: 'The new name. If another tag has it, the two become one.' }) to!: string;
}

export class TagView implements CountedTag {
  @Text({ max, example: 'vip' }) name!: string;
  @Integer({ description: 'Unresolved conversations with the tag that the caller can see.' }) count!: number;
}

export class TagNameView {
  @Text({ max, example: 'vip' }) name!: string;
}
