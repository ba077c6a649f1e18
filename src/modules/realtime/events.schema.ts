import { PAGE_LIMIT } from '../../kernel/page.js';
import { FreeForm, Flag, Id, Integer, NestedList, Text, Time } from '../../platform/http/fields.js';

const optional = true;

export class ListEventsQuery {
  @Text({
    max: 400,
    optional,
    description: 'The `cursor` of the page before, or of a frame; the beginning when absent.',
  })
  after?: string;

  @Integer({ min: 1, max: PAGE_LIMIT.max, optional, fromQuery: true, description: 'Events in a page.' })
  limit: number = PAGE_LIMIT.default;
}

/** A durable event as agents' sockets hear it. */
export class EventView {
  @Text({ example: 'message.created' }) type!: string;
  @Id({ description: 'Of the event; repeats carry the same.' }) id!: string;
  @Time() timestamp!: string;
  @Id({ optional }) conversation_id?: string;
  @Id({ optional }) channel_id?: string;
  @FreeForm({ description: 'As in the frame of this type.' }) data!: object;
}

export class EventPageView {
  @NestedList(() => EventView, { maxItems: PAGE_LIMIT.max }) items!: EventView[];
  @Text({
    max: 400,
    description: 'Where to go on from, also when there is nothing more yet.',
    example: 'AZpKxG8e.1842',
  })
  cursor!: string;
  @Flag({ description: 'Whether there is more to read at once.' }) has_more!: boolean;
}
