import { applyDecorators } from '@nestjs/common';
import { Embedded } from '../../platform/schemas/answer-fields.js';
import { field, Rule } from '../../platform/schemas/field.js';
import { codePoints } from '../../platform/schemas/field-rules.js';
import { Choice, Id, Text, Time } from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import type { ContactRecord } from '../contacts/index.js';
import type { ConversationWithContact } from '../conversations/index.js';
import type { MessageRecord } from '../messages/index.js';
import type { FoundItem } from './found-items.js';
import type { SearchedType } from './search-document.js';
import { SEARCHED_TYPES } from './search-document.js';
import type { Highlights } from './text/matches.js';

const optional = true;
const nullable = true;
const QUERY_CHARS = { min: 2, max: 200 };
/** The values of `in`, with the type of each. */
const GROUPS: Readonly<Record<string, SearchedType>> = {
  messages: 'message',
  conversations: 'conversation',
  contacts: 'contact',
};
const GROUP = Object.keys(GROUPS).join('|');
const EMOJI = /\p{Extended_Pictographic}/u;

/** Two characters or more, or an emoji. */
const isLongEnough = (value: unknown) =>
  typeof value === 'string' && (codePoints(value.trim()) >= QUERY_CHARS.min || EMOJI.test(value));

function QueryText(): PropertyDecorator {
  return applyDecorators(
    Text({
      max: QUERY_CHARS.max,
      description:
        'Words in any order, `"phrases"`, `-excluded` words, alternatives separated by `or`. At least 2 characters, or an emoji.',
      example: 'refund -shipping',
    }),
    Rule('minLength', isLongEnough, `must have at least ${QUERY_CHARS.min} characters, or an emoji`),
  );
}

export class SearchQueryParams extends PageQuery {
  @QueryText() query!: string;

  @Text({
    optional,
    pattern: new RegExp(`^(?:${GROUP})(?:,(?:${GROUP}))*$`),
    description: '`messages`, `conversations`, `contacts`. Several by comma. All by default.',
    example: 'messages,contacts',
  })
  in?: string;

  @Id({ optional, description: 'Only conversations of this channel, and contacts that came through it.' })
  channel_id?: string;

  @Time({ optional, description: 'Only what was created at this time or later.' }) from?: string;
  @Time({ optional, description: 'Only what was created before this time.' }) to?: string;
}

/** @param groups the value of `in` */
export function typesOf(groups: string | undefined): SearchedType[] {
  if (groups === undefined) return [...SEARCHED_TYPES];
  return groups.split(',').flatMap(name => GROUPS[name] ?? []);
}

/** Documents ranges of text by the name of their field. */
function TextRanges(): PropertyDecorator {
  const range = { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 2, maxItems: 2 } as const;
  return field(
    {
      description:
        'The parts that match, by field: start and end in UTF-16 units of the field as returned. Answers to the pre-chat form are `pre_chat.{key}`.',
    },
    { type: 'object', additionalProperties: { type: 'array', items: range } },
  );
}

export class FoundItemView implements FoundItem {
  @Choice(SEARCHED_TYPES) type!: SearchedType;
  @Embedded('ConversationView', { nullable, description: '`null` for contacts.' })
  conversation!: ConversationWithContact | null;
  @Embedded('MessageView', { optional, description: 'For messages. `content` has at most 300 UTF-16 units.' })
  message?: MessageRecord;
  @Embedded('ContactView', { optional, description: 'For contacts.' }) contact?: ContactRecord;
  @TextRanges() highlights!: Highlights;
}
