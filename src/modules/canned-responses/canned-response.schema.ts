import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Id, Integer, Text, Texts, Time } from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import type { CannedResponseRecord } from './canned-response.js';
import { SHORT_CODE } from './canned-response.js';

const optional = true;
const TAGS = { maxItems: 20, max: 50 };
const CONTENT = {
  max: 20_000,
  description:
    'Variables: `{{contact.name}}`, `{{agent.name}}`, `{{conversation.number}}`, `{{channel.name}}`. With a fallback: `{{contact.name|there}}`.',
};

/**
 * The largest result of 20,000 characters: `{{agent.name}}` 1,428 times with a name of 200 characters, or `{{x}}` 4,000
 * times.
 */
const RENDERED = { chars: 300_000, missing: 4_000 };

/** Short code in any case. It is stored in lower case. */
function ShortCode(options: { optional?: boolean } = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : (value as unknown))),
    Text({ ...options, max: 50, pattern: SHORT_CODE, example: 'thanks' }),
  );
}

export class ListCannedResponsesQuery extends PageQuery {
  @Text({ optional, description: 'Search short code, title and content. Short codes that begin with it come first.' })
  query?: string;
}

export class CreateCannedResponseBody {
  @ShortCode() short_code!: string;
  @Text({ example: 'Thanks' }) title!: string;
  @Text({ ...CONTENT, example: 'Thank you for your patience!' }) content!: string;
  @Texts({ optional, ...TAGS }) tags?: string[];
}

export class UpdateCannedResponseBody {
  @ShortCode({ optional }) short_code?: string;
  @Text({ optional, example: 'Thanks' }) title?: string;
  @Text({ optional, ...CONTENT, example: 'Thank you for your patience!' }) content?: string;
  @Texts({ optional, ...TAGS }) tags?: string[];
}

export class RenderCannedResponseBody {
  @Id() conversation_id!: string;
}

export class CannedResponseView implements CannedResponseRecord {
  @Id() id!: string;
  @Text({ max: 50, pattern: SHORT_CODE, example: 'thanks' }) short_code!: string;
  @Text({ example: 'Thanks' }) title!: string;
  @Text({ ...CONTENT, example: 'Thank you for your patience!' }) content!: string;
  @Texts(TAGS) tags!: string[];
  @Id({ nullable: true }) created_by!: string | null;
  @Integer() usage_count!: number;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}

export class RenderedCannedResponseView {
  @Text({ min: 0, max: RENDERED.chars, example: 'Thank you for your patience!' }) content!: string;
  @Texts({
    maxItems: RENDERED.missing,
    description: 'Variables without a value or fallback. They stay in `content` as written.',
  })
  missing!: string[];
}
