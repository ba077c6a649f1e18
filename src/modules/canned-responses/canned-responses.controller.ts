import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { CursorInvalid, NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { DeletedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { toPageView } from '../../platform/schemas/page.schema.js';
import {
  CannedResponseView,
  CreateCannedResponseBody,
  ListCannedResponsesQuery,
  RenderCannedResponseBody,
  RenderedCannedResponseView,
  UpdateCannedResponseBody,
} from './canned-response.schema.js';
import { toCannedResponseRecord } from './canned-response.js';
import { ShortCodeTaken } from './canned-responses.errors.js';
import { CannedResponsesService } from './canned-responses.service.js';

@Section('Canned responses', 'Texts that agents insert by short code.')
@Controller('canned-responses')
export class CannedResponsesController {
  constructor(private readonly responses: CannedResponsesService) {}

  @Get()
  @Summary(
    'List canned responses by short code.',
    'With `query`, only those that contain it. Short codes that begin with it come first.',
  )
  @Allow('canned-responses:read')
  @AnswersPage(CannedResponseView)
  @Throws(CursorInvalid)
  async list(
    @Caller() caller: StaffPrincipal,
    @Query() query: ListCannedResponsesQuery,
  ): Promise<PageView<CannedResponseView>> {
    return toPageView(await this.responses.list(caller, query), toCannedResponseRecord);
  }

  @Post()
  @Summary('Create a canned response.')
  @Allow('canned-responses:write')
  @Creates(CannedResponseView)
  @Throws(ShortCodeTaken)
  async create(@Caller() caller: StaffPrincipal, @Body() body: CreateCannedResponseBody): Promise<CannedResponseView> {
    return toCannedResponseRecord(await this.responses.create(caller, body));
  }

  @Get(':id')
  @Summary('Get a canned response.')
  @Allow('canned-responses:read')
  @Answers(CannedResponseView)
  @Throws(NotFound)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<CannedResponseView> {
    return toCannedResponseRecord(await this.responses.get(caller, id));
  }

  @Patch(':id')
  @Summary('Update a canned response.')
  @Allow('canned-responses:write')
  @Answers(CannedResponseView)
  @Throws(NotFound, ShortCodeTaken)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: UpdateCannedResponseBody,
  ): Promise<CannedResponseView> {
    return toCannedResponseRecord(await this.responses.update(caller, id, body));
  }

  @Delete(':id')
  @Summary('Delete a canned response.')
  @Allow('canned-responses:write')
  @Answers(DeletedView)
  @Throws(NotFound)
  async delete(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<DeletedView> {
    await this.responses.delete(caller, id);
    return { id, deleted: true };
  }

  @Post(':id/render')
  @Summary(
    'Render a canned response for a conversation.',
    'Returns the content with its variables filled in, and counts one use. Requires `conversations:read`.',
  )
  @Allow('canned-responses:read')
  @Answers(RenderedCannedResponseView)
  @Throws(NotFound)
  render(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: RenderCannedResponseBody,
  ): Promise<RenderedCannedResponseView> {
    return this.responses.render(caller, id, body.conversation_id);
  }
}
