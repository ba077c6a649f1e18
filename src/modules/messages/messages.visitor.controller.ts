import { Body, Controller, Get, Headers, HttpStatus, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CursorInvalid, NotFound } from '../../kernel/errors.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { AnswersPage, CreatesUnintercepted, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { KeyedRequestsService } from '../../platform/http/keyed-requests.service.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import { AttachmentUnavailable, AttachmentViewsService } from '../attachments/index.js';
import { ConversationStartsService } from './conversation-starts.service.js';
import { ContentRequired, ContentTypeReserved, MetadataReserved, ReplyUnknown } from './messages.errors.js';
import { ListMessagesQuery, MessageView, VisitorMessageBody } from './message.schema.js';
import type { MessageRecord } from './message.js';
import { toMessageRecord } from './message.js';
import { toMessagePage, windowOf } from './message-page.js';
import { MessagesService } from './messages.service.js';

/** Messages of a visitor's conversation, without private notes. */
@Section('Visitor')
@Controller('widget/conversations/:conversation_id/messages')
export class MessagesVisitorController {
  constructor(
    private readonly messages: MessagesService,
    private readonly starts: ConversationStartsService,
    private readonly requests: KeyedRequestsService,
    private readonly views: AttachmentViewsService,
  ) {}

  @Get()
  @Summary(
    "List the messages of one of the visitor's conversations, in order of `seq`.",
    'Returns the newest messages by default. `before_seq` returns older messages, `after_seq` newer ones. A gap in `seq` is a private note, which visitors do not see.',
  )
  @Allow('widget:read')
  @AnswersPage(MessageView)
  @Throws(NotFound, CursorInvalid)
  async list(
    @Caller() caller: VisitorPrincipal,
    @IdParam('conversation_id') conversationId: string,
    @Query() query: ListMessagesQuery,
  ): Promise<PageView<MessageRecord>> {
    const window = windowOf(query);
    return this.views.render(toMessagePage(await this.messages.list(caller, conversationId, window), window));
  }

  @Post()
  @Summary(
    'Send a message as the visitor.',
    'Returns 400 `content_required` without `content` and `attachment_ids`. Returns 200 with the existing message if `client_message_id` was already used. After the reopen window of a resolved conversation the message starts a new one, and if another conversation is unresolved, the message goes there: read `conversation_id` in the response.',
  )
  @Allow('widget:write')
  @LimitRate('visitor_message')
  @CreatesUnintercepted(MessageView)
  @Throws(NotFound, AttachmentUnavailable, ContentRequired, ContentTypeReserved, MetadataReserved, ReplyUnknown)
  async send(
    @Caller() caller: VisitorPrincipal,
    @IdParam('conversation_id') conversationId: string,
    @Body() body: VisitorMessageBody,
    @Res({ passthrough: true }) response: Response,
    @Headers('user-agent') userAgent?: string,
  ): Promise<MessageRecord> {
    const message = await this.requests.runOnce(response, async () => {
      const sent = await this.starts.continueByVisitor(caller, conversationId, body, userAgent);
      if (!sent.created) response.status(HttpStatus.OK);
      return toMessageRecord(sent.message);
    });
    return this.views.render(message);
  }
}
