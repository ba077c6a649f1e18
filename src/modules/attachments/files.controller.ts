import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../platform/access/access.decorator.js';
import { sendFile } from '../../platform/http/file-answer.js';
import { THUMBNAIL_TYPE } from './attachment.js';
import { DownloadsService } from './downloads.service.js';
import { isShownInline } from './inline-types.js';

/** Files under their signed URLs, outside the API. */
@ApiExcludeController()
@Public()
@Controller('files')
export class FilesController {
  constructor(private readonly downloads: DownloadsService) {}

  @Get(':id/:name')
  async download(
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
    @Query() { expires, variant, signature }: Record<string, unknown>,
  ): Promise<void> {
    const asked = { expires: String(expires), variant: String(variant), signature: String(signature) };
    const download = await this.downloads.find(id, asked);
    const { attachment } = download;
    const isThumbnail = download.variant === 'thumbnail';
    await sendFile(request, response, {
      name: attachment.name,
      contentType: isThumbnail ? THUMBNAIL_TYPE : attachment.contentType,
      size: isThumbnail ? null : attachment.size,
      etag: `"${id}-${download.variant}"`,
      disposition: isThumbnail || isShownInline(attachment.contentType) ? 'inline' : 'attachment',
      open: range => this.downloads.open(download, range),
    });
  }
}
