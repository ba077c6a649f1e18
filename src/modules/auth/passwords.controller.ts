import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { Allow, Public } from '../../platform/access/access.decorator.js';
import { Caller, Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { RoomToHash } from '../users/index.js';
import { InvalidCredentials, ResetInvalid } from './auth.errors.js';
import { ChangePasswordBody, DoneView, ForgotPasswordBody, ResetPasswordBody } from './auth.schema.js';
import { PasswordsService } from './passwords.service.js';

@ApiTags('Agent authentication')
@Controller('auth/password')
export class PasswordsController {
  constructor(private readonly passwords: PasswordsService) {}

  @Post()
  @Summary("Changes the caller's password and ends its other sessions.")
  @Allow('session:write', { only: 'agent' })
  @Answers(DoneView)
  @Throws(InvalidCredentials)
  async change(@Caller() caller: AgentPrincipal, @Body() body: ChangePasswordBody): Promise<DoneView> {
    await this.passwords.change(caller, body.old_password, body.password);
    return { done: true };
  }

  @Post('forgot')
  @Summary('Mails a link that sets a new password; says the same whether or not there is such a user.')
  @Public()
  @Answers(DoneView)
  async forgot(@Body() body: ForgotPasswordBody): Promise<DoneView> {
    await this.passwords.forgot(body.email);
    return { done: true };
  }

  @Post('reset')
  @Summary('Sets a new password with the mailed token, and ends every session of the user.')
  @Public()
  @UseGuards(RoomToHash)
  @Answers(DoneView)
  @Throws(ResetInvalid)
  async reset(@Body() body: ResetPasswordBody, @Origin() origin: ClientOrigin): Promise<DoneView> {
    await this.passwords.reset(body.reset_token, body.password, origin.network);
    return { done: true };
  }
}
