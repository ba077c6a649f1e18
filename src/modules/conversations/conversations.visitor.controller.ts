import { Body, Controller, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { NotFound, Unsupported } from '../../kernel/errors.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import {
  ReadBody,
  StartVisitorConversationBody,
  VisitorConversationStartedView,
  VisitorConversationView,
} from './conversation.schema.js';
import { ConversationStartsService } from './conversation-starts.service.js';
import { ConversationViewsService } from './conversation-views.service.js';
import { ContentRequired, ContentTypeReserved, ConversationErased, ReplyUnknown } from './conversations.errors.js';
import { ConversationsService } from './conversations.service.js';
import { MessageReadsService } from './messages/message-reads.service.js';
import { toMessageRecord } from './messages/message.js';

/** A visitor's conversations, as the visitor sees them. */
@Section('Visitor')
@Controller('widget/conversations')
export class ConversationsVisitorController {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly starts: ConversationStartsService,
    private readonly reads: MessageReadsService,
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
    const page = await this.conversations.listForVisitor(caller, query);
    return { items: await this.views.toVisitorViews(page.items), next_cursor: page.nextCursor };
  }

  @Post()
  @Summary(
    'Start a conversation with its first message.',
    'If the channel allows one unresolved conversation per contact and there is one, the message goes there and the status is 200 instead of 201. The same `client_message_id` again returns the first result.',
  )
  @Allow('widget:write')
  @LimitRate('visitor_message')
  @Creates(VisitorConversationStartedView)
  @Throws(ContentRequired, ContentTypeReserved, Unsupported, ReplyUnknown)
  async start(
    @Caller() caller: VisitorPrincipal,
    @Body() body: StartVisitorConversationBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<VisitorConversationStartedView> {
    const started = await this.starts.startByVisitor(caller, body.message);
    if (!started.conversationCreated) response.status(HttpStatus.OK);
    const conversation = await this.views.toVisitorView(started.conversation);
    return { conversation, message: toMessageRecord(started.message) };
  }

  @Get(':id')
  @Summary("Get one of the visitor's conversations.")
  @Allow('widget:read')
  @Answers(VisitorConversationView)
  @Throws(NotFound)
  async get(@Caller() caller: VisitorPrincipal, @IdParam() id: string): Promise<VisitorConversationView> {
    return this.views.toVisitorView(await this.conversations.get(caller, id));
  }

  @Post(':id/read')
  @Summary('Mark messages up to `seq` as read by the visitor.')
  @Allow('widget:write')
  @Answers(VisitorConversationView)
  @Throws(NotFound, ConversationErased)
  async read(
    @Caller() caller: VisitorPrincipal,
    @IdParam() id: string,
    @Body() body: ReadBody,
  ): Promise<VisitorConversationView> {
    return this.views.toVisitorView(await this.reads.read(caller, id, body.seq));
  }
}
