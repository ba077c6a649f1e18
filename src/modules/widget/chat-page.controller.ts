import { Controller, Get, HttpStatus, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Config } from '../../config/config.js';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { Public } from '../../platform/access/access.decorator.js';
import { Origin } from '../../platform/access/caller.decorator.js';
import { demandsHttps } from '../../platform/http/https-only.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import { chatPage, chatPagePolicy, isWidgetToken, UNKNOWN_CHAT_PAGE } from './chat-page.js';
import { WidgetService } from './widget.service.js';

/** The chat as a page of its own, outside the API: for links, e-mails, QR codes and apps. It opens no session. */
@ApiExcludeController()
@Public()
@Controller('chat')
export class ChatPageController {
  constructor(
    private readonly widget: WidgetService,
    private readonly config: Config,
  ) {}

  @Get()
  @LimitRate('widget_config')
  async show(
    @Origin() { network }: ClientOrigin,
    @Res() response: Response,
    @Query('widget_token') token?: unknown,
  ): Promise<void> {
    const channel = isWidgetToken(token) ? await this.widget.findActiveChannel(token, network) : null;
    response.setHeader(
      'Content-Security-Policy',
      chatPagePolicy(this.config.publicUrl, channel?.allowedOrigins ?? [], demandsHttps(this.config)),
    );
    response.setHeader('Cache-Control', channel ? 'no-cache' : 'no-store');
    response.status(channel ? HttpStatus.OK : HttpStatus.NOT_FOUND);
    response.type('html').send(channel ? chatPage(channel) : UNKNOWN_CHAT_PAGE);
  }
}
