import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { CursorInvalid } from '../../kernel/errors.js';
import { isAllowed } from '../../kernel/permission.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { AnswersPage, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { toPageView } from '../../platform/schemas/page.schema.js';
import { AttachmentUrlsInterceptor } from '../attachments/index.js';
import { QueryTooBroad } from './search.errors.js';
import { readCursor } from './search-request.js';
import { FoundItemView, SearchQueryParams, typesOf } from './search.schema.js';
import { SearchService } from './search.service.js';
import { parseQuery } from './text/search-query.js';

@UseInterceptors(AttachmentUrlsInterceptor)
@Section('Search', 'Full-text search over messages, conversations and contacts.')
@Controller('search')
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  @Get()
  @Summary(
    'Search messages, conversations and contacts, newest first.',
    'Finds messages by their content, conversations by subject, number and answers to the pre-chat form, and contacts by name, e-mail and phone. Case and accents do not count, and the last word also matches longer words. Text without spaces, such as Chinese, is found by any two of its characters. A message is found within two seconds. A page may have fewer items than `limit`: read on while there is a `next_cursor`. Contacts are left out for an API key without `contacts:read`.',
  )
  @Allow('conversations:read')
  @LimitRate('search')
  @AnswersPage(FoundItemView)
  @Throws(CursorInvalid, QueryTooBroad)
  async search(@Caller() caller: StaffPrincipal, @Query() params: SearchQueryParams): Promise<PageView<FoundItemView>> {
    const query = parseQuery(params.query);
    if (!query) throw new QueryTooBroad();
    const { from, to, limit, channel_id: channelId } = params;
    const types = typesOf(params.in).filter(type => type !== 'contact' || isAllowed(caller, 'contacts:read'));
    const after = readCursor(params.cursor);
    const page = await this.searches.search(caller, { query, types, channelId, from, to, after, limit });
    return toPageView(page, item => item);
  }
}
