import { Controller, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { Public } from '../../platform/access/access.decorator.js';
import { Origin } from '../../platform/access/caller.decorator.js';
import type { LinkState } from './unsubscribe-links.service.js';
import { UnsubscribeLinksService } from './unsubscribe-links.service.js';
import { PAGE_POLICY, unknownLinkPage, unsubscribePage } from './unsubscribe-page.js';

/**
 * The page of the unsubscribe link in mails, outside the API. GET changes nothing, because mail scanners follow links.
 * POST unsubscribes, also for the one-click requests of mail clients (RFC 8058), whose body is not needed.
 */
@ApiExcludeController()
@Public()
@Controller('unsubscribe')
export class UnsubscribeController {
  constructor(private readonly links: UnsubscribeLinksService) {}

  @Get()
  async show(
    @Origin() { network }: ClientOrigin,
    @Res() response: Response,
    @Query('token') token?: string,
  ): Promise<void> {
    send(response, token, await this.links.getState(String(token), network));
  }

  @Post()
  async unsubscribe(
    @Origin() { network }: ClientOrigin,
    @Res() response: Response,
    @Query('token') token?: string,
    @Query('undo') undo?: string,
  ): Promise<void> {
    send(response, token, await this.links.set(String(token), network, undo !== 'true'));
  }
}

function send(response: Response, token: string | undefined, state: LinkState | null): void {
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  response.setHeader('Cache-Control', 'no-store');
  response.status(state ? HttpStatus.OK : HttpStatus.NOT_FOUND);
  response.type('html').send(state ? unsubscribePage(String(token), state) : unknownLinkPage());
}
