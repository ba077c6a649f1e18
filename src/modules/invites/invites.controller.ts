import { Body, Controller, Delete, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, ApiKeyPrincipal, StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { RevokedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { toPageView } from '../../platform/schemas/page.schema.js';
import { MemberExists, RoleTooHigh } from '../members/index.js';
import { CreateInviteBody, InviteView, IssuedInviteView, ListInvitesQuery } from './invite.schema.js';
import { InviteNotPending } from './invites.errors.js';
import type { IssuedInvite } from './invites.service.js';
import { InvitesService } from './invites.service.js';

@Section('Invites', 'Invites are links by which people join the workspace with a password.')
@Controller('workspace/invites')
export class InvitesController {
  constructor(private readonly invites: InvitesService) {}

  @Get()
  @Summary('List invites, newest first.')
  @Allow('invites:read')
  @AnswersPage(InviteView)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListInvitesQuery): Promise<PageView<InviteView>> {
    return toPageView(await this.invites.list(caller, query), invite => invite);
  }

  @Post()
  @Summary(
    'Invite a member.',
    'Returns 201 for a new invite. Returns 200 if the e-mail has a pending or expired invite: it is renewed with the given role and channels and new links, and all old links stop working. Accepting reactivates a deactivated member. You cannot grant a role above your own. An invite becomes invalid when its inviter could no longer send it. Limited to 100 an hour per workspace, including resends.',
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
    'Creates new links that work for 7 days, and mails one of them. All old links stop working.',
  )
  @Allow('invites:write')
  @Answers(IssuedInviteView)
  @Throws(NotFound, InviteNotPending, MemberExists, RoleTooHigh)
  async resend(@Caller() caller: AgentPrincipal | ApiKeyPrincipal, @IdParam() id: string): Promise<IssuedInviteView> {
    return toIssuedInviteView(await this.invites.resend(caller, id));
  }

  @Delete(':id')
  @Summary('Revoke a pending or expired invite.', 'All of its links stop working.')
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
