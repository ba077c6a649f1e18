import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { Allow, Public } from '../../platform/access/access.decorator.js';
import { Caller, Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { HashCapacityGuard } from '../users/index.js';
import { InvalidCredentials, ResetInvalid } from './auth.errors.js';
import { ChangePasswordBody, DoneView, ForgotPasswordBody, ResetPasswordBody } from './auth.schema.js';
import { PasswordsService } from './passwords.service.js';

@Section('Agent authentication')
@Controller('auth/password')
export class PasswordsController {
  constructor(private readonly passwords: PasswordsService) {}

  @Post()
  @Summary(
    "Change the caller's password.",
    "Ends the user's other sessions, except those opened by API keys of other workspaces.",
  )
  @Allow('session:write', { only: 'agent' })
  @Answers(DoneView)
  @Throws(InvalidCredentials)
  async change(@Caller() caller: AgentPrincipal, @Body() body: ChangePasswordBody): Promise<DoneView> {
    await this.passwords.change(caller, body.old_password, body.password);
    return { done: true };
  }

  @Post('forgot')
  @Summary(
    'Request a password reset.',
    'Mails a link that works once, within one hour. Always returns 200 in the same time, so that the response does not reveal which e-mails have a user.',
  )
  @Public()
  @Answers(DoneView)
  async forgot(@Body() body: ForgotPasswordBody, @Origin() origin: ClientOrigin): Promise<DoneView> {
    await this.passwords.forgot(body.email, origin.network);
    return { done: true };
  }

  @Post('reset')
  @Summary('Reset a password with the mailed token.', 'Ends all sessions of the user.')
  @Public()
  @UseGuards(HashCapacityGuard)
  @Answers(DoneView)
  @Throws(ResetInvalid)
  async reset(@Body() body: ResetPasswordBody, @Origin() origin: ClientOrigin): Promise<DoneView> {
    await this.passwords.reset(body.reset_token, body.password, origin.network);
    return { done: true };
  }
}
