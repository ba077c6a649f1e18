import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Flag, FreeForm, Id, Integer, NestedList, Text, Time } from '../../platform/schemas/fields.js';
import type { TextOptions } from '../../platform/schemas/fields.js';
import type { ViewFilters, ViewRecord, ViewSummary } from './view.js';
import { MAX_COUNT } from './view-counts.service.js';
import { MAX_POSITION } from './views.service.js';

const optional = true;
const nullable = true;
const position = { min: 0, max: MAX_POSITION, description: 'Views are listed by it.' };
const FILTERS = {
  description:
    'The parameters of `GET /v1/conversations` except `limit` and `cursor`, and checked like them. `me` is the reader.',
  example: { status: 'open', assignee: 'me', sort: 'waiting' },
};

/** A name without the spaces around it. */
function Name(options: TextOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.trim() : (value as unknown))),
    Text({ ...options, example: 'Waiting for me' }),
  );
}

export class CreateViewBody {
  @Name() name!: string;
  @FreeForm(FILTERS) filters!: Record<string, unknown>;
  @Flag({ optional, description: 'For all members. Requires an admin of all channels; a key makes no others.' })
  shared?: boolean;
  @Integer({ ...position, optional }) position?: number;
}

export class UpdateViewBody {
  @Name({ optional }) name?: string;
  @FreeForm({ ...FILTERS, optional }) filters?: Record<string, unknown>;
  @Flag({ optional, description: 'Shares a view of your own, or makes a shared one your own.' }) shared?: boolean;
  @Integer({ ...position, optional }) position?: number;
}

export class ViewSummaryView implements ViewSummary {
  @Id() id!: string;
  @Text({ example: 'Waiting for me' }) name!: string;
  @Flag() shared!: boolean;
  @Integer(position) position!: number;
  @Id({ nullable }) created_by!: string | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}

export class ViewView extends ViewSummaryView implements ViewRecord {
  @FreeForm({
    ...FILTERS,
    description:
      'A filter is `null` if the reader may not see what it names, or its contact was erased: nothing matches.',
  })
  filters!: ViewFilters;
}

export class ViewCountView {
  @Id() id!: string;
  @Integer({ nullable, max: MAX_COUNT, description: 'Counting stops at 100. `null` if there was no time to count.' })
  count!: number | null;
}

export class ViewCountsView {
  @NestedList(() => ViewCountView) items!: ViewCountView[];
}
