import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { CursorInvalid, LimitReached, NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { DeletedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import { invalidField } from '../../platform/schemas/validation.js';
import { CreateViewBody, UpdateViewBody, ViewCountsView, ViewView } from './view.schema.js';
import type { View } from './view.js';
import { toViewSummary } from './view.js';
import { ViewCountsService } from './view-counts.service.js';
import { ViewFiltersService } from './view-filters.service.js';
import { ViewNameTaken } from './views.errors.js';
import { ViewsService } from './views.service.js';

@Section(
  'Views',
  'Saved filters of the inbox. Every member sees the shared ones and those of its own. Filters run with the scope of the reader, so one view lists different conversations to different members.',
)
@Controller('views')
export class ViewsController {
  constructor(
    private readonly views: ViewsService,
    private readonly filters: ViewFiltersService,
    private readonly viewCounts: ViewCountsService,
  ) {}

  @Get()
  @Summary("List the shared views and the caller's own, by position.")
  @Allow('views:read')
  @AnswersPage(ViewView)
  @Throws(CursorInvalid)
  async list(@Caller() caller: StaffPrincipal, @Query() query: PageQuery): Promise<PageView<ViewView>> {
    const { items, nextCursor } = await this.views.list(caller, query);
    return { items: await this.show(caller, items), next_cursor: nextCursor };
  }

  @Get('counts')
  @Summary(
    'Count the conversations of each view.',
    'Counting stops at 100 per view. Also requires `conversations:read`.',
  )
  @Allow('views:read', { ofKey: 'conversations:read' })
  @Answers(ViewCountsView)
  async counts(@Caller() caller: StaffPrincipal): Promise<ViewCountsView> {
    return { items: await this.viewCounts.count(caller) };
  }

  @Post()
  @Summary('Create a view.')
  @Allow('views:write')
  @Creates(ViewView)
  @Throws(ViewNameTaken, LimitReached)
  async create(@Caller() caller: StaffPrincipal, @Body() body: CreateViewBody): Promise<ViewView> {
    const shared = body.shared ?? caller.kind !== 'agent';
    if (!shared) assertOwnsViews(caller);
    return this.showOne(
      caller,
      await this.views.create(caller, { ...body, filters: this.filters.read(body.filters), shared }),
    );
  }

  @Get(':id')
  @Summary('Get a view.')
  @Allow('views:read')
  @Answers(ViewView)
  @Throws(NotFound)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ViewView> {
    return this.showOne(caller, await this.views.get(caller, id));
  }

  @Patch(':id')
  @Summary('Update a view.', '`filters` is replaced as a whole.')
  @Allow('views:write')
  @Answers(ViewView)
  @Throws(NotFound, ViewNameTaken, LimitReached)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() { filters, ...changes }: UpdateViewBody,
  ): Promise<ViewView> {
    if (changes.shared === false) assertOwnsViews(caller);
    const read = filters === undefined ? {} : { filters: this.filters.read(filters) };
    return this.showOne(caller, await this.views.update(caller, id, { ...changes, ...read }));
  }

  @Delete(':id')
  @Summary('Delete a view.')
  @Allow('views:write')
  @Answers(DeletedView)
  @Throws(NotFound)
  async delete(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<DeletedView> {
    await this.views.delete(caller, id);
    return { id, deleted: true };
  }

  private async show(caller: StaffPrincipal, views: readonly View[]): Promise<ViewView[]> {
    const filters = await this.filters.show(caller, views);
    return views.map((view, index) => ({ ...toViewSummary(view), filters: filters[index] ?? {} }));
  }

  private async showOne(caller: StaffPrincipal, view: View): Promise<ViewView> {
    const [filters = {}] = await this.filters.show(caller, [view]);
    return { ...toViewSummary(view), filters };
  }
}

/** @throws ValidationFailed for an API key, which is no member */
function assertOwnsViews(caller: StaffPrincipal): void {
  if (caller.kind !== 'agent') invalidField('shared', 'not_allowed', 'An API key has shared views only');
}
