import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { Public } from '../../platform/access/access.decorator.js';
import { Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Creates, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { AgentSessionRecord } from '../auth/index.js';
import { InvalidCredentials, toAgentSessionRecord } from '../auth/index.js';
import { LastOwner, MemberExists } from '../members/index.js';
import { AcceptanceService } from './acceptance.service.js';
import { RoomToHash } from '../users/index.js';
import { InvitePreviewBody, InvitePreviewView, RegisterUserBody } from './invite.schema.js';
import { InviteInvalid } from './invites.errors.js';

@ApiTags('Agent authentication')
@Controller('auth')
export class AcceptanceController {
  constructor(private readonly acceptance: AcceptanceService) {}

  @Post('invite-preview')
  @Summary('What the link of an invite leads to; it stays as good as it was.')
  @Public()
  @Answers(InvitePreviewView)
  @Throws(InviteInvalid)
  preview(@Body() body: InvitePreviewBody, @Origin() origin: ClientOrigin): Promise<InvitePreviewView> {
    return this.acceptance.preview(body.invite_token, origin.network);
  }

  @Post('register-user')
  @Summary(
    'Accepts an invite: makes the user, or takes the password of the user who has this e-mail, and signs it in. From ' +
      'then on the password opens the membership, with the role and the channels of the invite.',
  )
  @Public()
  @UseGuards(RoomToHash)
  @Creates('AgentSessionView')
  @Throws(InviteInvalid, InvalidCredentials, MemberExists, LastOwner)
  async registerUser(@Body() body: RegisterUserBody, @Origin() origin: ClientOrigin): Promise<AgentSessionRecord> {
    return toAgentSessionRecord(await this.acceptance.accept(body, origin.network));
  }
}
