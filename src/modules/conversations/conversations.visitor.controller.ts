import { Controller, Get, Post, Query } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import { FeatureDisabled } from '../channels/index.js';
import { VisitorConversationView } from './conversation.schema.js';
import { ConversationViewsService } from './conversation-views.service.js';
import { ConversationErased } from './conversations.errors.js';
import { ConversationActionsService } from './conversation-actions.service.js';
import { ConversationsService } from './conversations.service.js';
import { InboxService } from './inbox.service.js';

/** A visitor's conversations, as the visitor sees them. */
@Section('Visitor')
@Controller('widget/conversations')
export class ConversationsVisitorController {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly actions: ConversationActionsService,
    private readonly inbox: InboxService,
    private readonly views: ConversationViewsService,
  ) {}

  @Get()
  @Summary("List the visitor's conversations, newest first.")
  @Allow('widget:read')
  @AnswersPage(VisitorConversationView)
  async list(
    @Caller() caller: VisitorPrincipal,
    @Query() query: PageQuery,
  ): Promise<PageView<VisitorConversationView>> {
    const page = await this.inbox.listForVisitor(caller, query);
    return { items: await this.views.toVisitorViews(page.items), next_cursor: page.nextCursor };
  }

  @Get(':id')
  @Summary("Get one of the visitor's conversations.")
  @Allow('widget:read')
  @Answers(VisitorConversationView)
  @Throws(NotFound)
  async get(@Caller() caller: VisitorPrincipal, @IdParam() id: string): Promise<VisitorConversationView> {
    return this.views.toVisitorView(await this.conversations.get(caller, id));
  }

  @Post(':id/resolve')
  @Summary('End the chat.', 'Requires the channel feature `end_chat`. A resolved conversation stays as it is.')
  @Allow('widget:write')
  @Answers(VisitorConversationView)
  @Throws(NotFound, ConversationErased, FeatureDisabled)
  async close(@Caller() caller: VisitorPrincipal, @IdParam() id: string): Promise<VisitorConversationView> {
    return this.views.toVisitorView(await this.actions.close(caller, id));
  }
}
