import { Body, Controller, Post } from '@nestjs/common';
import { NotFound, Unsupported } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, Creates, OperationId, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { AttachmentUnavailable } from '../attachments/index.js';
import { ContactMergedAway } from '../contacts/index.js';
import type { ConversationWithContact } from '../conversations/index.js';
import {
  BotNotInControl,
  ConversationErased,
  ConversationExists,
  ConversationViewsService,
} from '../conversations/index.js';
import { ReadBody, StartConversationBody } from './conversation-messages.schema.js';
import { ConversationStartsService } from './conversation-starts.service.js';
import { MessageReadsService } from './message-reads.service.js';
import {
  ContentRequired,
  ContentTypeReserved,
  MentionInvalid,
  MetadataReserved,
  ReplyUnknown,
  SenderRequired,
  SenderUnknown,
} from './messages.errors.js';

/** In this module, because conversations do not know messages. */
@Section('Conversations')
@Controller('conversations')
export class ConversationMessagesController {
  constructor(
    private readonly starts: ConversationStartsService,
    private readonly reads: MessageReadsService,
    private readonly views: ConversationViewsService,
  ) {}

  @Post()
  @Summary(
    'Start a conversation with a contact, with or without a first message.',
    'Returns 409 `conversation_exists` with `conversation_id` if the channel allows one unresolved conversation per contact and there is one. With an API key, name the sender of the message as `member_id`.',
  )
  @OperationId('Conversations_start')
  @Allow('conversations:write')
  @Creates('ConversationView')
  @Throws(
    ContactMergedAway,
    ConversationExists,
    AttachmentUnavailable,
    ContentRequired,
    ContentTypeReserved,
    MetadataReserved,
    MentionInvalid,
    ReplyUnknown,
    Unsupported,
    SenderRequired,
    SenderUnknown,
    BotNotInControl,
  )
  async start(@Caller() caller: StaffPrincipal, @Body() body: StartConversationBody): Promise<ConversationWithContact> {
    return this.views.toStaffView(await this.starts.startByStaff(caller, body));
  }

  @Post(':id/read')
  @Summary(
    'Mark messages up to `seq` as read by the agents.',
    "The read mark is shared by all agents. For an agent's session it is also that member's own look at the conversation, which marks its notifications of these messages as read.",
  )
  @OperationId('Conversations_read')
  @Allow('conversations:write')
  @Answers('ConversationView')
  @Throws(NotFound, ConversationErased)
  async read(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: ReadBody,
  ): Promise<ConversationWithContact> {
    return this.views.toStaffView(await this.reads.read(caller, id, body.seq));
  }
}
