import { PAGE_LIMIT } from '../../kernel/page.js';
import { FreeForm, Flag, Id, Integer, NestedList, Text, Time } from '../../platform/schemas/fields.js';

const optional = true;

export class ListEventsQuery {
  @Text({
    max: 400,
    optional,
    description: 'The `cursor` of the previous page or of a frame. Default: the beginning of the log.',
  })
  after?: string;

  @Integer({
    min: 1,
    max: PAGE_LIMIT.max,
    optional,
    fromQuery: true,
    description: 'Maximum number of events in the page.',
  })
  limit: number = PAGE_LIMIT.default;
}

/** A durable event, as in the frames of agents. */
export class EventView {
  @Text({ example: 'message.created' }) type!: string;
  @Id({ description: 'The id of the event. Repeated frames have the same id.' }) id!: string;
  @Time() timestamp!: string;
  @Id({ optional }) conversation_id?: string;
  @Id({ optional }) channel_id?: string;
  @FreeForm({ description: 'The data of the frame of this type.' }) data!: object;
}

export class EventPageView {
  @NestedList(() => EventView, { maxItems: PAGE_LIMIT.max }) items!: EventView[];
  @Text({
    max: 400,
    description: 'Pass it as `after` to read the next page, also when there are no more events yet.',
    example: 'AZpKxG8e.1842',
  })
  cursor!: string;
  @Flag({ description: 'True when more events are available now.' }) has_more!: boolean;
}
