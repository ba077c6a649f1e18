import { Body, Controller, Delete, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, ApiKeyPrincipal, StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { RevokedView } from '../../platform/http/deleted.schema.js';
import type { PageView } from '../../platform/http/page.schema.js';
import { toPageView } from '../../platform/http/page.schema.js';
import { MemberExists, RoleTooHigh } from '../members/index.js';
import { CreateInviteBody, InviteView, IssuedInviteView, ListInvitesQuery } from './invite.schema.js';
import { InviteNotPending } from './invites.errors.js';
import type { IssuedInvite } from './invites.service.js';
import { InvitesService } from './invites.service.js';

@Section('Invites', 'Links by which people join the workspace with a password.')
@Controller('workspace/invites')
export class InvitesController {
  constructor(private readonly invites: InvitesService) {}

  @Get()
  @Summary('The invites, newest first.')
  @Allow('invites:read')
  @AnswersPage(InviteView)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListInvitesQuery): Promise<PageView<InviteView>> {
    return toPageView(await this.invites.list(caller, query), invite => invite);
  }

  @Post()
  @Summary(
    'Invite a member.',
    'Returns 201 for a new invite, and 200 for an e-mail with a pending or expired one: that is renewed with new links and what is granted now, and the old ones are dead, shown and mailed. Accepting brings a deactivated member back. Nobody grants a role above their own; an invite is void once whoever sent it could no longer send it. With resending, 100 an hour per workspace.',
  )
  @Allow('invites:write')
  @Creates(IssuedInviteView)
  @Throws(MemberExists, RoleTooHigh)
  async create(
    @Caller() caller: AgentPrincipal | ApiKeyPrincipal,
    @Body() body: CreateInviteBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IssuedInviteView> {
    const issued = await this.invites.create(caller, body);
    if (issued.renewed) response.status(HttpStatus.OK);
    return toIssuedInviteView(issued);
  }

  @Post(':id/resend')
  @Summary(
    'Send a pending or expired invite again.',
    'Makes new links, which work for 7 days, and mails one of them. The old ones are dead, shown and mailed.',
  )
  @Allow('invites:write')
  @Answers(IssuedInviteView)
  @Throws(NotFound, InviteNotPending, MemberExists, RoleTooHigh)
  async resend(@Caller() caller: AgentPrincipal | ApiKeyPrincipal, @IdParam() id: string): Promise<IssuedInviteView> {
    return toIssuedInviteView(await this.invites.resend(caller, id));
  }

  @Delete(':id')
  @Summary('Revoke a pending or expired invite.', 'Its links are dead, shown and mailed.')
  @Allow('invites:write')
  @Answers(RevokedView)
  @Throws(NotFound, InviteNotPending, RoleTooHigh)
  async revoke(@Caller() caller: AgentPrincipal | ApiKeyPrincipal, @IdParam() id: string): Promise<RevokedView> {
    await this.invites.revoke(caller, id);
    return { id, revoked: true };
  }
}

function toIssuedInviteView({ invite, acceptUrl }: IssuedInvite): IssuedInviteView {
  return { ...invite, accept_url: acceptUrl };
}
