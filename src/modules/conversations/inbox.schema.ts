import { isId } from '../../kernel/ids.js';
import type { TextOptions } from '../../platform/schemas/fields.js';
import { Choice, Flag, Id, Integer, Text, Time } from '../../platform/schemas/fields.js';
import { Rule } from '../../platform/schemas/field.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import { applyDecorators } from '@nestjs/common';
import { TAG_LIMITS } from '../tags/index.js';
import { PRIORITIES, STATUSES } from './conversation.js';
import { SCORES } from './facets.js';
import { splitList } from './inbox-filters.js';
import type { Order, Sort } from './inbox.js';
import { ORDERS, SORTS } from './inbox.js';

const optional = true;
/** Values of one parameter. */
const MAX_VALUES = 100;
const YEAR_SECONDS = 366 * 86_400;

/** One or several values, separated by commas. It stays text. */
function Several(isValue: (value: string) => boolean, message: string, options: TextOptions): PropertyDecorator {
  const areValues = (text: unknown) =>
    typeof text === 'string' && splitList(text).length <= MAX_VALUES && splitList(text).every(isValue);
  return applyDecorators(Text({ ...options, optional, max: 5_000 }), Rule('several', areValues, message));
}

function SeveralOf(values: readonly string[], description: string): PropertyDecorator {
  const one = `(?:${values.join('|')})`;
  return Text({
    optional,
    description,
    max: 200,
    pattern: new RegExp(`^${one}(?:,${one})*$`),
    ...(values[0] === undefined ? {} : { example: values[0] }),
  });
}

const isAssignee = (value: string) => value === 'me' || value === 'none' || isId(value);
const isTag = (value: string) => [...value].length <= TAG_LIMITS.max && value.trim() !== '';

/** The filters of the inbox, which a view stores too. */
export class ListConversationsQuery extends PageQuery {
  @SeveralOf(
    STATUSES,
    'Only conversations with this status: `pending`, `open`, `snoozed` or `resolved`. Several by comma.',
  )
  status?: string;

  @Several(isAssignee, 'must be me, none or ids of members', {
    description: '`me`, `none` or the id of a member. Several by comma.',
    example: 'me,none',
  })
  assignee?: string;

  @Several(isId, 'must be ids', {
    description: 'Only conversations of this channel. Several by comma.',
    example: '01960000-0000-7000-8000-000000000001',
  })
  channel_id?: string;

  @Id({ optional, description: 'Only conversations of this contact.' }) contact_id?: string;

  @Several(isTag, `must be tags of at most ${TAG_LIMITS.max} characters`, {
    description: 'Only conversations with this tag, in any case. Several by comma; a comma in a tag is written `\\,`.',
    example: 'vip',
  })
  tag?: string;

  @SeveralOf(
    PRIORITIES,
    'Only conversations with this priority: `none`, `low`, `medium`, `high` or `urgent`. Several by comma.',
  )
  priority?: string;

  @Choice([...SCORES, 'any', 'none'], { optional, description: 'Only conversations with this rating, any or none.' })
  csat?: string;

  @Flag({
    optional,
    fromQuery: true,
    description: 'Only conversations with messages that no agent has read, or without. At most two seconds old.',
  })
  unread?: boolean;

  @Integer({
    optional,
    fromQuery: true,
    max: YEAR_SECONDS,
    description: 'Only conversations whose contact has waited for an answer for so many seconds.',
  })
  waiting_longer_than?: number;

  @Text({ optional, description: "Search the contact's name and e-mail, and the conversation's number." })
  query?: string;

  @Time({ optional, description: 'Only conversations that changed at this time or later.' }) updated_since?: string;

  @Choice(['me'], {
    optional,
    description: 'Only conversations in which the caller takes part. Requires an agent session.',
  })
  participating?: 'me';

  @Choice(['me'], {
    optional,
    description: 'Only conversations with a note that mentions the caller. Requires an agent session.',
  })
  mentioned?: 'me';

  @Choice(SORTS, {
    optional,
    description:
      '`last_activity` (the default) and `created` sort newest first. `waiting` sorts longest waiting first and lists only those that wait. `priority` sorts most urgent first, and the latest activity first within a priority.',
  })
  sort?: Sort;

  @Choice(ORDERS, { optional, description: "Without it the sort's own order." }) order?: Order;
}
