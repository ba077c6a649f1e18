import { Body, Controller, Headers, HttpStatus, Post, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { NotFound } from '../../kernel/errors.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, Creates, OperationId, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import { AttachmentUnavailable, AttachmentUrlsInterceptor } from '../attachments/index.js';
import type { VisitorConversationRecord } from '../conversations/index.js';
import { ConversationErased, ConversationViewsService } from '../conversations/index.js';
import {
  ReadBody,
  StartVisitorConversationBody,
  VisitorConversationStartedView,
} from './conversation-messages.schema.js';
import { ConversationStartsService } from './conversation-starts.service.js';
import { MessageReadsService } from './message-reads.service.js';
import type { MessageRecord } from './message.js';
import { toMessageRecord } from './message.js';
import { ContentRequired, ContentTypeReserved, MetadataReserved, ReplyUnknown } from './messages.errors.js';

/** In this module, because conversations do not know messages. */
@UseInterceptors(AttachmentUrlsInterceptor)
@Section('Visitor')
@Controller('widget/conversations')
export class ConversationMessagesVisitorController {
  constructor(
    private readonly starts: ConversationStartsService,
    private readonly reads: MessageReadsService,
    private readonly views: ConversationViewsService,
  ) {}

  @Post()
  @Summary(
    'Start a conversation with its first message.',
    'If the channel allows one unresolved conversation per contact, the message goes to the unresolved one, or reopens the latest one within its reopen window. The status is then 200 instead of 201. The same `client_message_id` again returns the first result. A new conversation needs answers to the required fields of an enabled pre-chat form; in all other cases `pre_chat` is ignored.',
  )
  @OperationId('ConversationsVisitor_start')
  @Allow('widget:write')
  @LimitRate('visitor_message')
  @Creates(VisitorConversationStartedView)
  @Throws(AttachmentUnavailable, ContentRequired, ContentTypeReserved, MetadataReserved, ReplyUnknown)
  async start(
    @Caller() caller: VisitorPrincipal,
    @Body() body: StartVisitorConversationBody,
    @Res({ passthrough: true }) response: Response,
    @Headers('user-agent') userAgent?: string,
  ): Promise<Omit<VisitorConversationStartedView, 'message'> & { message: MessageRecord }> {
    const started = await this.starts.startByVisitor(caller, { ...body, userAgent });
    if (!started.conversationCreated) response.status(HttpStatus.OK);
    const conversation = await this.views.toVisitorView(started.conversation);
    return { conversation, message: toMessageRecord(started.message) };
  }

  @Post(':id/read')
  @Summary('Mark messages up to `seq` as read by the visitor.')
  @OperationId('ConversationsVisitor_read')
  @Allow('widget:write')
  @Answers('VisitorConversationView')
  @Throws(NotFound, ConversationErased)
  async read(
    @Caller() caller: VisitorPrincipal,
    @IdParam() id: string,
    @Body() body: ReadBody,
  ): Promise<VisitorConversationRecord> {
    return this.views.toVisitorView(await this.reads.read(caller, id, body.seq));
  }
}
