import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { CursorInvalid, NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { DeletedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { isStorable } from '../../platform/schemas/field-rules.js';
import { toPageView } from '../../platform/schemas/page.schema.js';
import { ListTagsQuery, RenameTagBody, TagNameView, TagView } from './tag.schema.js';
import { TagsService } from './tags.service.js';

@Section(
  'Tags',
  'Labels of conversations. A conversation gets a tag by `PATCH /v1/conversations/{id}`; the first use creates it.',
)
@Controller('tags')
export class TagsController {
  constructor(private readonly tags: TagsService) {}

  @Get()
  @Summary('List the tags by name, with the number of unresolved conversations that the caller can see.')
  @Allow('conversations:read')
  @AnswersPage(TagView)
  @Throws(CursorInvalid)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListTagsQuery): Promise<PageView<TagView>> {
    return toPageView(await this.tags.list(caller, query), tag => tag);
  }

  @Post('rename')
  @Summary(
    'Rename a tag on all conversations.',
    'If another tag has the new name, the two become one. The `version` of the conversations stays. Counts of a merged tag are exact after some seconds.',
  )
  @Allow('conversations:write', { role: 'admin' })
  @Answers(TagNameView)
  async rename(@Caller() caller: StaffPrincipal, @Body() { from, to }: RenameTagBody): Promise<TagNameView> {
    return { name: await this.tags.rename(caller, from, to) };
  }

  @Delete(':name')
  @Summary('Delete a tag from the workspace and all conversations.')
  @Allow('conversations:write', { role: 'admin' })
  @Answers(DeletedView)
  @Throws(NotFound)
  async delete(@Caller() caller: StaffPrincipal, @Param('name') name: string): Promise<DeletedView> {
    if (!isStorable(name)) throw new NotFound();
    const { id } = await this.tags.delete(caller, name);
    return { id, deleted: true };
  }
}
