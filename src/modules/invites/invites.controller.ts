import { Body, Controller, Delete, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, ApiKeyPrincipal, StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { RevokedView } from '../../platform/http/deleted.schema.js';
import type { PageView } from '../../platform/http/page.schema.js';
import { toPageView } from '../../platform/http/page.schema.js';
import { MemberExists, RoleTooHigh } from '../members/index.js';
import { CreateInviteBody, InviteView, IssuedInviteView, ListInvitesQuery } from './invite.schema.js';
import { InviteNotPending } from './invites.errors.js';
import type { IssuedInvite } from './invites.service.js';
import { InvitesService } from './invites.service.js';

@ApiTags('Invites')
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
    'Invites a member. 200 where an invite for this e-mail was pending or had expired: it is renewed, with a new link ' +
      'and what is granted now; the old link is dead. A deactivated member comes back by accepting. Nobody grants a ' +
      'role above their own; an invite falls when whoever gave out its link could make it no more. With resending, ' +
      '100 an hour per workspace.',
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
  @Summary('A new link for a pending or expired invite, good for 7 days; the old link is dead.')
  @Allow('invites:write')
  @Answers(IssuedInviteView)
  @Throws(NotFound, InviteNotPending, MemberExists, RoleTooHigh)
  async resend(@Caller() caller: AgentPrincipal | ApiKeyPrincipal, @IdParam() id: string): Promise<IssuedInviteView> {
    return toIssuedInviteView(await this.invites.resend(caller, id));
  }

  @Delete(':id')
  @Summary('Revokes a pending or expired invite; its link is dead.')
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
