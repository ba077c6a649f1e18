import { Controller, Get, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { BodyTooLarge, NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, ApiKeyPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam, Origin } from '../../platform/access/caller.decorator.js';
import { Answers, CreatesAnew, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { FileUploadsService } from '../../platform/http/file-uploads.service.js';
import { TakesFile } from '../../platform/http/takes-file.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import { AttachmentView } from './attachment.schema.js';
import { AttachmentUrlsService } from './attachment-urls.service.js';
import { AttachmentTypeRefused, StorageQuota } from './attachments.errors.js';
import { AttachmentsService } from './attachments.service.js';
import { UploadsService } from './uploads.service.js';

@Section(
  'Attachments',
  'Files of messages. Upload a file, then send a message with its id in `attachment_ids` within 24 hours. URLs of files hold for an hour.',
)
@Controller('attachments')
export class AttachmentsController {
  constructor(
    private readonly bodies: FileUploadsService,
    private readonly uploads: UploadsService,
    private readonly attachments: AttachmentsService,
    private readonly urls: AttachmentUrlsService,
  ) {}

  @Post()
  @Summary(
    'Upload a file.',
    'One file of at most 25 MiB, as `multipart/form-data`. Its type is detected by its content. At most 4 uploads at once.',
  )
  @Allow('attachments:write')
  @LimitRate('upload')
  @TakesFile()
  @CreatesAnew(AttachmentView)
  @Throws(AttachmentTypeRefused, BodyTooLarge, StorageQuota)
  async upload(
    @Caller() caller: AgentPrincipal | ApiKeyPrincipal,
    @Req() request: Request,
    @Origin() { network }: ClientOrigin,
  ): Promise<AttachmentView> {
    return this.urls.toRecord(await this.uploads.upload(caller, this.bodies.open(request), network));
  }

  @Get(':id')
  @Summary(
    'Get an attachment with a fresh URL.',
    'For all who may see its message; before it is sent, for its uploader.',
  )
  @Allow('attachments:read')
  @Answers(AttachmentView)
  @Throws(NotFound)
  async get(@Caller() caller: AgentPrincipal | ApiKeyPrincipal, @IdParam() id: string): Promise<AttachmentView> {
    return this.urls.toRecord(await this.attachments.get(caller, id));
  }
}
