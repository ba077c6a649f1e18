import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { Public } from '../../platform/access/access.decorator.js';
import { Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { AgentSessionRecord } from '../auth/index.js';
import { InvalidCredentials, toAgentSessionRecord } from '../auth/index.js';
import { LastOwner, MemberExists } from '../members/index.js';
import { AcceptanceService } from './acceptance.service.js';
import { HashCapacityGuard } from '../users/index.js';
import { InvitePreviewBody, InvitePreviewView, RegisterUserBody } from './invite.schema.js';
import { InviteInvalid, MailboxUnproved } from './invites.errors.js';

@Section('Agent authentication')
@Controller('auth')
export class AcceptanceController {
  constructor(private readonly acceptance: AcceptanceService) {}

  @Post('invite-preview')
  @Summary('Preview an invite. Does not accept it.')
  @Public()
  @Answers(InvitePreviewView)
  @Throws(InviteInvalid)
  preview(@Body() body: InvitePreviewBody, @Origin() origin: ClientOrigin): Promise<InvitePreviewView> {
    return this.acceptance.preview(body.invite_token, origin.network);
  }

  @Post('register-user')
  @Summary(
    'Accept an invite and sign in.',
    "Creates the user, or adds the membership to the existing user of the e-mail; then `password` must be that user's password. The membership gets the role and the channels of the invite. A user without a password who is a member of another workspace can set one only by a mailed link: the link shown to the inviter returns 422 `mailbox_unproved`, and a new link is mailed, up to 5 times an hour.",
  )
  @Public()
  @UseGuards(HashCapacityGuard)
  @Creates('AgentSessionView')
  @Throws(InviteInvalid, InvalidCredentials, MailboxUnproved, MemberExists, LastOwner)
  async registerUser(@Body() body: RegisterUserBody, @Origin() origin: ClientOrigin): Promise<AgentSessionRecord> {
    return toAgentSessionRecord(await this.acceptance.accept(body, origin.network));
  }
}
