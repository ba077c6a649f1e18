import { Controller, Get, Post, Query } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersOnce, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import { FeatureDisabled } from '../channels/index.js';
import { EmailMissing } from '../contacts/index.js';
import { ConversationErased } from '../conversations/index.js';
import { TranscriptMailsService } from './transcript-mails.service.js';
import { TranscriptMailedView, TranscriptQuery, TranscriptView } from './transcript.schema.js';
import { MailDisabled, TranscriptNotReady } from './transcripts.errors.js';
import { TranscriptsService } from './transcripts.service.js';

@Section('Visitor')
@Controller('widget/conversations/:id/transcript')
export class TranscriptsVisitorController {
  constructor(
    private readonly transcripts: TranscriptsService,
    private readonly mails: TranscriptMailsService,
  ) {}

  @Get()
  @Summary(
    "Get the transcript of one of the visitor's conversations.",
    "The newest 1,000 messages, at most 1,000,000 characters. Files are named; in JSON, with their id, size and type. Times are in the contact's time zone, or else the workspace's; in JSON, they are UTC.",
  )
  @Allow('widget:read')
  @Answers(TranscriptView)
  @Throws(NotFound)
  async get(
    @Caller() caller: VisitorPrincipal,
    @IdParam() id: string,
    @Query() { format = 'json' }: TranscriptQuery,
  ): Promise<TranscriptView> {
    return this.transcripts.getFile(caller, id, format);
  }

  @Post()
  @Summary(
    "Mail the transcript to the contact's e-mail address.",
    'Requires the channel feature `transcript`, and an answer of a person. An address gets at most 3 transcripts an hour and 10 a day.',
  )
  @Allow('widget:write')
  @LimitRate('transcript_contact')
  @AnswersOnce(TranscriptMailedView)
  @Throws(NotFound, ConversationErased, FeatureDisabled, MailDisabled, EmailMissing, TranscriptNotReady)
  async mail(@Caller() caller: VisitorPrincipal, @IdParam() id: string): Promise<TranscriptMailedView> {
    await this.mails.mailToContact(caller, id);
    return { conversation_id: id, mailed: true };
  }
}
