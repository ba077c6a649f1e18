import { Body, Controller, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CursorInvalid, NotFound, Unsupported } from '../../../kernel/errors.js';
import type { VisitorPrincipal } from '../../../kernel/principal.js';
import { Allow } from '../../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../../platform/access/caller.decorator.js';
import { AnswersPage, Creates, Summary, Throws } from '../../../platform/http/answers.decorator.js';
import type { PageView } from '../../../platform/http/page.schema.js';
import { LimitRate } from '../../../platform/limits/rate-limit.guard.js';
import { ConversationStarts } from '../conversation-starts.service.js';
import { ContentRequired, ContentTypeReserved, ConversationExists, ReplyUnknown } from '../conversations.errors.js';
import { ListMessagesQuery, MessageView, VisitorMessageBody } from './message.schema.js';
import { toMessageRecord } from './message.js';
import { toMessagePage, windowOf } from './message-page.js';
import { MessagesService } from './messages.service.js';

/** The messages of a visitor's own conversation. Private notes are not among them. */
@ApiTags('Visitor')
@Controller('widget/conversations/:conversation_id/messages')
export class MessagesVisitorController {
  constructor(
    private readonly messages: MessagesService,
    private readonly starts: ConversationStarts,
  ) {}

  @Get()
  @Summary('The newest messages, or those before or after a mark; in order of `seq`.')
  @Allow('widget:read')
  @AnswersPage(MessageView)
  @Throws(NotFound, CursorInvalid)
  async list(
    @Caller() caller: VisitorPrincipal,
    @IdParam('conversation_id') conversationId: string,
    @Query() query: ListMessagesQuery,
  ): Promise<PageView<MessageView>> {
    const window = windowOf(query);
    return toMessagePage(await this.messages.list(caller, conversationId, window), window);
  }

  @Post()
  @Summary(
    'Says something. Past the reopen window of a resolved conversation it begins a new one: look at `conversation_id`.',
  )
  @Allow('widget:write')
  @LimitRate('visitor_message')
  @Creates(MessageView)
  @Throws(NotFound, ContentRequired, ContentTypeReserved, ConversationExists, ReplyUnknown, Unsupported)
  async send(
    @Caller() caller: VisitorPrincipal,
    @IdParam('conversation_id') conversationId: string,
    @Body() body: VisitorMessageBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageView> {
    const sent = await this.starts.continueByVisitor(caller, conversationId, body);
    if (!sent.created) response.status(HttpStatus.OK);
    return toMessageRecord(sent.message);
  }
}
