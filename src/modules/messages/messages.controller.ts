import { Body, Controller, Delete, Get, HttpStatus, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CursorInvalid, NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import {
  Answers,
  AnswersPage,
  CreatesUnintercepted,
  Section,
  Summary,
  Throws,
} from '../../platform/http/answers.decorator.js';
import { KeyedRequestsService } from '../../platform/http/keyed-requests.service.js';
import { DeletedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import {
  BotMessageLimit,
  ContentRequired,
  ContentTypeReserved,
  ConversationMoved,
  EditWindowOver,
  MentionInvalid,
  MetadataReserved,
  NotSender,
  ReplyToNote,
  ReplyUnknown,
  SenderRequired,
  SenderUnknown,
} from './messages.errors.js';
import { AttachmentUnavailable, AttachmentViewsService } from '../attachments/index.js';
import { BotNotInControl, ConversationErased, ConversationExists } from '../conversations/index.js';
import { EditMessageBody, ListMessagesQuery, MessageBody, MessageView } from './message.schema.js';
import type { MessageRecord } from './message.js';
import { toMessageRecord } from './message.js';
import { toMessagePage, windowOf } from './message-page.js';
import { MessageEditsService } from './message-edits.service.js';
import { MessagesService } from './messages.service.js';

@Section('Messages', 'Messages and private notes of one conversation, in order of `seq`.')
@Controller('conversations/:conversation_id/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly edits: MessageEditsService,
    private readonly requests: KeyedRequestsService,
    private readonly views: AttachmentViewsService,
  ) {}

  @Get()
  @Summary(
    'List the messages of a conversation, in order of `seq`.',
    'Returns the newest messages by default. `before_seq` returns older messages, `after_seq` newer ones; `next_cursor` continues in the same direction.',
  )
  @Allow('conversations:read')
  @AnswersPage(MessageView)
  @Throws(NotFound, CursorInvalid)
  async list(
    @Caller() caller: StaffPrincipal,
    @IdParam('conversation_id') conversationId: string,
    @Query() query: ListMessagesQuery,
  ): Promise<PageView<MessageRecord>> {
    const window = windowOf(query);
    return this.views.render(toMessagePage(await this.messages.list(caller, conversationId, window), window));
  }

  @Post()
  @Summary(
    'Send a message.',
    'Returns 400 `content_required` without `content` and `attachment_ids`. Returns 200 with the existing message if `client_message_id` was already used. With an API key, name the sender: `member_id` or `bot_id`. A bot speaks only where it is in control: while the conversation is `pending` with it. `private: true` sends a private note that the visitor never sees; its `metadata.mentions` is a list of members who are notified.',
  )
  @Allow('conversations:write')
  @CreatesUnintercepted(MessageView)
  @Throws(
    ConversationErased,
    NotFound,
    ConversationMoved,
    ConversationExists,
    AttachmentUnavailable,
    ContentRequired,
    ContentTypeReserved,
    MetadataReserved,
    MentionInvalid,
    ReplyUnknown,
    ReplyToNote,
    SenderRequired,
    SenderUnknown,
    BotNotInControl,
    BotMessageLimit,
  )
  async send(
    @Caller() caller: StaffPrincipal,
    @IdParam('conversation_id') conversationId: string,
    @Body() body: MessageBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageRecord> {
    const message = await this.requests.runOnce(response, async () => {
      const sent = await this.messages.send(caller, conversationId, body);
      if (!sent.created) response.status(HttpStatus.OK);
      return toMessageRecord(sent.message);
    });
    return this.views.render(message);
  }

  @Patch(':id')
  @Summary('Edit a message.', 'Only its sender can edit it, within 15 minutes.')
  @Allow('conversations:write')
  @Answers(MessageView)
  @Throws(NotFound, ContentRequired, NotSender, EditWindowOver)
  async edit(
    @Caller() caller: StaffPrincipal,
    @IdParam('conversation_id') conversationId: string,
    @IdParam() id: string,
    @Body() body: EditMessageBody,
  ): Promise<MessageRecord> {
    return this.views.render(toMessageRecord(await this.edits.edit(caller, conversationId, id, body.content)));
  }

  @Delete(':id')
  @Summary(
    'Delete a message.',
    'Only its sender can delete it, within 15 minutes. Its `seq` stays, its content is removed.',
  )
  @Allow('conversations:write')
  @Answers(DeletedView)
  @Throws(NotFound, NotSender, EditWindowOver)
  async unsend(
    @Caller() caller: StaffPrincipal,
    @IdParam('conversation_id') conversationId: string,
    @IdParam() id: string,
  ): Promise<DeletedView> {
    await this.edits.unsend(caller, conversationId, id);
    return { id, deleted: true };
  }
}
