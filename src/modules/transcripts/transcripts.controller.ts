import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersOnce, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import { ConversationErased } from '../conversations/index.js';
import { TranscriptMailsService } from './transcript-mails.service.js';
import { MailTranscriptBody, TranscriptMailedView, TranscriptQuery, TranscriptView } from './transcript.schema.js';
import { MailDisabled } from './transcripts.errors.js';
import { TranscriptsService } from './transcripts.service.js';

@Section('Conversations')
@Controller('conversations/:id/transcript')
export class TranscriptsController {
  constructor(
    private readonly transcripts: TranscriptsService,
    private readonly mails: TranscriptMailsService,
  ) {}

  @Get()
  @Summary(
    'Get the transcript of a conversation, with private notes.',
    'The newest 1,000 messages, at most 1,000,000 characters. Files are named; in JSON, with their id, size and type. Times are in the time zone of the workspace; in JSON, they are UTC.',
  )
  @Allow('conversations:read')
  @Answers(TranscriptView)
  @Throws(NotFound)
  async get(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Query() { format = 'json' }: TranscriptQuery,
  ): Promise<TranscriptView> {
    return this.transcripts.getFile(caller, id, format);
  }

  @Post()
  @Summary(
    'Mail the transcript of a conversation, as the visitor sees it.',
    'Without private notes. An address gets at most 3 transcripts an hour and 10 a day.',
  )
  @Allow('conversations:write')
  @LimitRate('transcript_member')
  @AnswersOnce(TranscriptMailedView)
  @Throws(NotFound, ConversationErased, MailDisabled)
  async mail(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() { email }: MailTranscriptBody,
  ): Promise<TranscriptMailedView> {
    await this.mails.mailTo(caller, id, email);
    return { conversation_id: id, mailed: true };
  }
}
