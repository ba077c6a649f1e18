import { Body, Controller, Get, Headers, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { toScopeRecord } from '../../kernel/channel-scope.js';
import { InvalidToken, NotFound, TokenExpired, TokenRevoked, Unauthenticated } from '../../kernel/errors.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { Allow, Public } from '../../platform/access/access.decorator.js';
import { bearerToken } from '../../platform/access/authenticator.js';
import { Caller, Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Creates, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import type { Membership } from '../members/index.js';
import { toMemberRecord } from '../members/index.js';
import { EmailTaken, RoomToHash } from '../users/index.js';
import { toWorkspaceRecord } from '../workspaces/index.js';
import { toAgentSessionRecord } from './agent-session.js';
import { InvalidCredentials, MemberDeactivated, RegistrationDisabled } from './auth.errors.js';
import type { WorkspaceMembershipView } from './auth.schema.js';
import { AgentSessionView, DoneView, LoginBody, MeView, RefreshBody, RegisterBody } from './auth.schema.js';
import { AuthService } from './auth.service.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Agent authentication')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
  ) {}

  @Post('register')
  @Summary('Registers a workspace with its first channel; the caller becomes its owner.')
  @Public()
  @LimitRate('register')
  @UseGuards(RoomToHash)
  @Creates(AgentSessionView)
  @Throws(EmailTaken, RegistrationDisabled)
  async register(@Body() body: RegisterBody, @Origin() origin: ClientOrigin): Promise<AgentSessionView> {
    return toAgentSessionRecord(await this.auth.register(body, origin.network));
  }

  @Post('login')
  @Summary('E-mail and password for an access and a refresh token.')
  @Public()
  @UseGuards(RoomToHash)
  @Answers(AgentSessionView)
  @Throws(InvalidCredentials, MemberDeactivated, NotFound)
  async login(@Body() body: LoginBody, @Origin() origin: ClientOrigin): Promise<AgentSessionView> {
    const { memberships, ...signIn } = await this.auth.login(body, origin.network);
    return { ...toAgentSessionRecord(signIn), workspaces: memberships.map(toWorkspaceMembershipView) };
  }

  @Post('refresh')
  @Summary('A new access token for a refresh token, in the body or as Bearer.')
  @Public()
  @Answers(AgentSessionView)
  @Throws(Unauthenticated, InvalidToken, TokenExpired, TokenRevoked)
  async refresh(@Body() body: RefreshBody, @Headers('authorization') header?: string): Promise<AgentSessionView> {
    return toAgentSessionRecord(await this.auth.refresh(presented(body, header)));
  }

  @Post('logout')
  @Summary('Ends the session and all that grew from it: tokens and sockets.')
  @Public()
  @Answers(DoneView)
  @Throws(Unauthenticated, InvalidToken)
  async logout(@Body() body: RefreshBody, @Headers('authorization') header?: string): Promise<DoneView> {
    await this.sessions.logout(presented(body, header));
    return { done: true };
  }

  @Get('me')
  @Summary('Who the token speaks for, where, and with which scope.')
  @Allow('session:read', { only: 'agent' })
  @Answers(MeView)
  async me(@Caller() caller: AgentPrincipal): Promise<MeView> {
    const { member, workspace, memberships } = await this.auth.me(caller);
    return {
      member: toMemberRecord(member),
      workspace: toWorkspaceRecord(workspace),
      scope: toScopeRecord(caller.scope),
      workspaces: memberships.map(toWorkspaceMembershipView),
    };
  }
}

function presented(body: RefreshBody, header: string | undefined): string {
  const token = body.refresh_token ?? bearerToken(header);
  if (!token) throw new Unauthenticated();
  return token;
}

function toWorkspaceMembershipView({ workspaceId, workspaceName, role }: Membership): WorkspaceMembershipView {
  return { id: workspaceId, name: workspaceName, role };
}
